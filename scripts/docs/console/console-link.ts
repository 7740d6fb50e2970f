import { type ContractDocument, operationsOf } from '../../generate/document.ts';
import { relativeAddress } from '../shell/address.ts';

/** Where the console stands below the site's root. */
export const consolePath = 'console.html';

/**
 * The address at which the console has an operation open, as the page at `from` writes it:
 * `../console.html#/Pets/listPets` in a guide.
 *
 * @throws Error for an operation that the contract does not have, so that no link leads nowhere
 */
export function consoleLink(
  contract: Pick<ContractDocument, 'paths' | 'components'>,
  operationId: string,
  from: string,
): string {
  const found = operationsOf(contract).find(({ operation }) => operation.operationId === operationId);
  if (found === undefined) throw new Error(`The contract has no operation ${operationId} to link to in the console.`);
  const [tag = 'default'] = found.operation.tags ?? [];
  return `${relativeAddress(from, consolePath)}#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`;
}
