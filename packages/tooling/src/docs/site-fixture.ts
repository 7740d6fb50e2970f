import { bundleContract } from '../contract/bundle.ts';
import type { DocumentedContract } from './facts/contract.ts';

/** The current contract, for tests of the docs. */
export function contractUnderTest(): { json: string; contract: DocumentedContract } {
  const { json } = bundleContract();
  return { json, contract: JSON.parse(json) };
}
