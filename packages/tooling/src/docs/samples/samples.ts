import type { ContractDocument, OperationObject } from '../../contract/document.ts';
import { mapOperations } from '../facts/contract.ts';
import { type CodeSample, samplesFor } from './languages.ts';
import { sampleRequests } from './request.ts';

/** The samples of every operation of a contract, by operationId. */
export function samplesOf(document: ContractDocument): Map<string, CodeSample[]> {
  return new Map(sampleRequests(document).map((request) => [request.id, samplesFor(request)]));
}

/** The contract with the samples of each operation in the form that Redocly reads. */
export function withSamples<Contract extends ContractDocument>(contract: Contract): Contract {
  const samples = samplesOf(contract);
  const withOwn = (operation: OperationObject) => ({
    ...operation,
    'x-codeSamples': samples.get(operation.operationId),
  });
  return { ...contract, paths: mapOperations(contract.paths, withOwn) };
}
