/** The types of the mocks, with the examples and the types of the Animal Store. */
import type { ReplyExamples } from '@animal-store/contract/examples';
import type { OperationTypes } from '@animal-store/contract/types';
import type * as core from '@contract-first/client/mocks';

type Id = core.Mocked<ReplyExamples, OperationTypes>;

/** The statuses that an operation documents. */
export type MockedStatus<Of extends Id> = core.MockedStatus<Of, ReplyExamples, OperationTypes>;

/** The names of the contract's examples for a response. */
export type ExampleName<Of extends Id, Status extends MockedStatus<Of>> = core.ExampleName<
  Of,
  Status,
  ReplyExamples,
  OperationTypes
>;

/**
 * The body that an operation documents for a status: a value for JSON, an array of items for lines and events, a string for other
 * text, and a string or bytes for everything else.
 */
export type ReplyBody<Of extends Id, Status extends MockedStatus<Of>> = core.ReplyBody<
  Of,
  Status,
  ReplyExamples,
  OperationTypes
>;

/** The response to send. */
export type MockReply<Of extends Id, Status extends MockedStatus<Of>> = core.MockReply<
  Of,
  Status,
  ReplyExamples,
  OperationTypes
>;

/**
 * Computes the response to a validated request: a documented status with an example or a body. If it returns undefined,
 * the mocked store responds.
 */
export type MockResolver<Of extends Id> = core.MockResolver<Of, ReplyExamples, OperationTypes>;

export type ResolvedReply<Of extends Id> = core.ResolvedReply<Of, ReplyExamples, OperationTypes>;

/** Resolvers by operation. */
export type MockResolvers = core.MockResolvers<ReplyExamples, OperationTypes>;

export type AnimalStoreMocks<Examples = ReplyExamples, Types = OperationTypes> = core.Mocks<Examples, Types>;
