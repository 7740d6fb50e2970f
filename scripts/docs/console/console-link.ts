import { type DocumentedContract, type PlacedOperation, placedOperations } from '../facts/contract.ts';
import { relativeAddress } from '../shell/address.ts';

/** Where the console stands below the site's root. */
export const consolePath = 'console.html';

/**
 * The address at which the console has an operation open, as the page at `from` writes it:
 * `../console.html#/Pets/listPets` in a guide.
 *
 * @throws Error for an operation that the contract does not have, so that no link leads nowhere
 */
export function consoleLink(contract: DocumentedContract, operationId: string, from: string): string {
  const found = placedOperations(contract).find((operation) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`The contract has no operation ${operationId} to link to in the console.`);
  return `${relativeAddress(from, consolePath)}#${consoleAnchor(found)}`;
}

/** The fragments that the console knows: it has them open, but they are not in its markup. */
export function consoleAnchors(contract: DocumentedContract): string[] {
  return placedOperations(contract).map(consoleAnchor);
}

function consoleAnchor({ tag, operationId }: PlacedOperation): string {
  return `/${encodeURIComponent(tag || 'default')}/${encodeURIComponent(operationId)}`;
}
