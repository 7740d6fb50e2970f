import type { ContractDocument, OperationObject } from '../../contract/document.ts';
import { type CodeSample, samplesOf } from './samples.ts';

/** The contract with the samples of each operation in the form that Redocly reads. */
export function withSamples<Contract extends ContractDocument>(contract: Contract): Contract {
  const samples = samplesOf(contract);
  const paths = Object.entries(contract.paths).map(([path, item]) => [path, withSamplesIn(item, samples)]);
  return { ...contract, paths: Object.fromEntries(paths) };
}

function withSamplesIn(item: object, samples: ReadonlyMap<string, CodeSample[]>): object {
  const entries = Object.entries(item).map(([name, value]) => {
    const found = isOperation(value) ? samples.get(value.operationId) : undefined;
    return [name, found === undefined ? value : { ...value, 'x-codeSamples': found }];
  });
  return Object.fromEntries(entries);
}

/** Excludes the parameters and the description that a path may have. */
function isOperation(value: unknown): value is OperationObject {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}
