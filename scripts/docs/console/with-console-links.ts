import type { DocumentedContract, DocumentedOperation } from '../facts/contract.ts';
import { consoleLink } from './console-link.ts';

/** The contract with a link to the console at the end of each operation's description, for the page at `from`. */
export function withConsoleLinks<Contract extends DocumentedContract>(contract: Contract, from: string): Contract {
  const linked = (operation: DocumentedOperation): DocumentedOperation => {
    const { operationId, description = '' } = operation;
    // What stands beside the operations of a path, such as their common parameters, is none.
    if (operationId === undefined) return operation;
    const link = `[Try it in the console](${consoleLink(contract, operationId, from)})`;
    return { ...operation, description: `${description.trimEnd()}\n\n${link}\n` };
  };
  const paths = Object.entries(contract.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [method, linked(operation)]);
    return [path, Object.fromEntries(operations)];
  });
  return { ...contract, paths: Object.fromEntries(paths) };
}
