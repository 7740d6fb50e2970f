import { bundleContract } from '../contract/bundle.ts';
import type { ContractDocument } from '../contract/document.ts';

/** The current contract, for tests of the docs. */
export function contractUnderTest(): { json: string; contract: ContractDocument } {
  const { json } = bundleContract();
  return { json, contract: JSON.parse(json) };
}
