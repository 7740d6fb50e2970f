import type { Contract } from '../../../service/src/common/facts.ts';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { generateConstants } from '../../../tooling/src/generate/constants.ts';

/** A completed contract as the service gets it: with the constants that are generated from it. */
export function contractOf(document: ContractDocument): Contract {
  const constants = generateConstants(document).matchAll(/^export const (\w+) = ([\s\S]*?)(?: as const)?;$/gm);
  const values = Object.fromEntries([...constants].map(([, name, value = '']) => [name, JSON.parse(value)]));
  return { ...values, version: document.info.version, json: JSON.stringify(document) };
}
