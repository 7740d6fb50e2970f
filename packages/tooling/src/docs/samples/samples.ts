import type { ContractDocument } from '../../contract/document.ts';
import { type CodeSample, samplesFor } from './languages.ts';
import { sampleRequests } from './request.ts';

/** The samples of every operation of a contract, by operationId. */
export function samplesOf(document: ContractDocument): Map<string, CodeSample[]> {
  return new Map(sampleRequests(document).map((request) => [request.id, samplesFor(request)]));
}
