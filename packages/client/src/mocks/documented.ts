import type { OperationTypes } from '@animal-store/contract';
import type { replyExamples } from '@animal-store/contract/examples';

/** The examples of a contract by operation and status, and its types. Default: those of the Animal Store. */
export type StoreExamples = typeof replyExamples;
export type StoreTypes = OperationTypes;

/** The operations that have examples and types. */
export type Mocked<Examples, Types> = keyof Examples & keyof Types & string;

/** The statuses that an operation documents. */
export type MockedStatus<
  Id extends Mocked<Examples, Types>,
  Examples = StoreExamples,
  Types = StoreTypes,
> = keyof Examples[Id] & keyof ResponsesOf<Types[Id]> & number;

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never;

/** The names of the examples that the contract has for a reply. */
export type ExampleName<
  Id extends Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples = StoreExamples,
  Types = StoreTypes,
> = Examples[Id][Status & keyof Examples[Id]] extends { bodies: infer Bodies } ? keyof Bodies & string : never;

/**
 * The body that an operation documents for a status: a value for JSON, an array of items for lines and events, a string for other
 * text, and a string or bytes for everything else.
 */
export type ReplyBody<
  Id extends Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples = StoreExamples,
  Types = StoreTypes,
> = BodyOf<ResponsesOf<Types[Id]>[Status & keyof ResponsesOf<Types[Id]>]>;

type BodyOf<Response> = Response extends { content: infer Content }
  ? { [MediaType in keyof Content]: BodyAs<MediaType, Content[MediaType]> }[keyof Content]
  : never;

type BodyAs<MediaType, Schema> = MediaType extends `${string}/json` | `${string}+json`
  ? Schema
  : MediaType extends 'application/x-ndjson' | 'application/jsonl' | 'text/event-stream'
    ? Schema[] | string
    : MediaType extends `text/${string}`
      ? string
      : string | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** Which reply to give. */
export type MockReply<
  Id extends Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples = StoreExamples,
  Types = StoreTypes,
> = {
  /** The name of the example to respond with. Default: the first example in a media type that the request accepts. */
  example?: ExampleName<Id, Status, Examples, Types>;
  /** A body in place of an example. */
  body?: ReplyBody<Id, Status, Examples, Types>;
  /** Headers in place of those that the mock gives: `{ 'Retry-After': '1' }`. */
  headers?: Record<string, string>;
  /** Answers one request, then leaves the next ones to the handlers before it. */
  once?: boolean;
};
