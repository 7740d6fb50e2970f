/** The types of the mocks. By default, the examples and the types are those of the Animal Store. */
import type { ReplyExamples } from '@animal-store/contract/examples';
import type { OperationTypes } from '@animal-store/contract/types';
import type * as core from '@contract-first/client/mocks';

/** The statuses that an operation documents. */
export type MockedStatus<
  Id extends core.Mocked<Examples, Types>,
  Examples = ReplyExamples,
  Types = OperationTypes,
> = core.MockedStatus<Id, Examples, Types>;

/** The names of the contract's examples for a response. */
export type ExampleName<
  Id extends core.Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples = ReplyExamples,
  Types = OperationTypes,
> = core.ExampleName<Id, Status, Examples, Types>;

/**
 * The body that an operation documents for a status: a value for JSON, an array of items for lines and events, a string for other
 * text, and a string or bytes for everything else.
 */
export type ReplyBody<
  Id extends core.Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples = ReplyExamples,
  Types = OperationTypes,
> = core.ReplyBody<Id, Status, Examples, Types>;

/** The response to send. */
export type MockReply<
  Id extends core.Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples = ReplyExamples,
  Types = OperationTypes,
> = core.MockReply<Id, Status, Examples, Types>;

/**
 * Computes the response to a validated request: a documented status with an example or a body. If it returns undefined,
 * the mocked store responds.
 */
export type MockResolver<
  Id extends core.Mocked<Examples, Types>,
  Examples = ReplyExamples,
  Types = OperationTypes,
> = core.MockResolver<Id, Examples, Types>;

export type ResolvedReply<
  Id extends core.Mocked<Examples, Types>,
  Examples = ReplyExamples,
  Types = OperationTypes,
> = core.ResolvedReply<Id, Examples, Types>;

/** Resolvers by operation. */
export type MockResolvers = core.MockResolvers<ReplyExamples, OperationTypes>;

export type AnimalStoreMocks<Examples = ReplyExamples, Types = OperationTypes> = core.Mocks<Examples, Types>;
