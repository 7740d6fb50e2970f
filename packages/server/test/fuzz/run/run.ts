import { contractDocument } from '../../contract.ts';
import { fuzzedOperations } from '../requests/contract.ts';
import { prepare, type Target } from '../target/target.ts';
import { type FuzzOptions, fuzzOperation, type Report } from './fuzz-operation.ts';

/**
 * Fuzzes one operation of the contract, or of another document, against a server. The same requests get the same
 * responses only on a new server, because responses depend on the data of earlier requests.
 */
export async function fuzz(
  target: Target,
  id: string,
  options: FuzzOptions,
  document: Record<string, unknown> = contractDocument,
): Promise<Report> {
  const operations = fuzzedOperations(document);
  const operation = operations.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`The contract has no operation ${id} that can be fuzzed.`);
  return fuzzOperation(target, operation, await prepare(target, operations, operation), options);
}
