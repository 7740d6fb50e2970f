import type { OperationId, OperationTypes } from '@animal-store/contract';
import type { replyExamples } from '@animal-store/contract/examples';

type Examples = typeof replyExamples;

/** The statuses that an operation documents. */
export type MockedStatus<Id extends OperationId> = keyof Examples[Id] & keyof OperationTypes[Id]['responses'] & number;

/** The names of the examples that the contract has for a reply. */
export type ExampleName<Id extends OperationId, Status extends MockedStatus<Id>> = Examples[Id][Status] extends {
  bodies: infer Bodies;
}
  ? keyof Bodies & string
  : never;

/** The body that an operation documents for a status. */
export type ReplyBody<
  Id extends OperationId,
  Status extends MockedStatus<Id>,
> = OperationTypes[Id]['responses'][Status] extends { content: { 'application/json': infer Body } } ? Body : never;

/** Which reply to give. */
export type MockReply<Id extends OperationId, Status extends MockedStatus<Id>> = {
  /** The example of the contract to answer with; its first one when left out. */
  example?: ExampleName<Id, Status>;
  /** A body in place of an example. */
  body?: ReplyBody<Id, Status>;
  /** Headers in place of those that the mock gives: `{ 'Retry-After': '1' }`. */
  headers?: Record<string, string>;
  /** Answers one request, then leaves the next ones to the handlers before it. */
  once?: boolean;
};
