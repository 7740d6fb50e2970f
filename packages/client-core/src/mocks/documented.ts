import type { MaybePromise } from '../options.ts';

/** The operations that have examples and types. */
export type Mocked<Examples, Types> = keyof Examples & keyof Types & string;

/** The statuses that an operation documents. */
export type MockedStatus<Id extends Mocked<Examples, Types>, Examples, Types> = keyof Examples[Id] &
  keyof ResponsesOf<Types[Id]> &
  number;

type ResponsesOf<Operation> = Operation extends { responses: infer Responses } ? Responses : never;

/** The names of the contract's examples for a response. */
export type ExampleName<
  Id extends Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples,
  Types,
> = Examples[Id][Status] & string;

/** The body that an operation documents for a status: a value for JSON, a string for text, and a string or bytes for everything else. */
export type ReplyBody<
  Id extends Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples,
  Types,
> = BodyOf<ResponsesOf<Types[Id]>[Status]>;

type BodyOf<Response> = Response extends { content: infer Content }
  ? { [MediaType in keyof Content]: BodyAs<MediaType, Content[MediaType]> }[keyof Content]
  : never;

type BodyAs<MediaType, Schema> = MediaType extends `${string}/json` | `${string}+json`
  ? Schema
  : MediaType extends `text/${string}`
    ? string
    : string | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** The response to send. */
export type MockReply<
  Id extends Mocked<Examples, Types>,
  Status extends MockedStatus<Id, Examples, Types>,
  Examples,
  Types,
> = {
  /** The name of the example to respond with. Default: the first one. */
  example?: ExampleName<Id, Status, Examples, Types>;
  /** A body instead of an example. */
  body?: ReplyBody<Id, Status, Examples, Types>;
  /** Headers that replace those of the mock: `{ 'Retry-After': '1' }`. */
  headers?: Record<string, string>;
} & MockTiming;

export type MockTiming = {
  /** Milliseconds before the response; with 'infinite', there is none. */
  delay?: number | 'infinite';
  /** Responds to one request, and leaves later ones to the handlers before it. */
  once?: boolean;
};

/**
 * Computes the response to a validated request: a documented status with an example or a body. If it returns undefined,
 * the mocked store responds.
 */
export type MockResolver<Id extends Mocked<Examples, Types>, Examples, Types> = (
  call: MockCall<Types[Id]>,
) => MaybePromise<ResolvedReply<Id, Examples, Types> | undefined>;

export type ResolvedReply<Id extends Mocked<Examples, Types>, Examples, Types> = {
  [Status in MockedStatus<Id, Examples, Types>]: {
    status: Status;
    /** The URL of the next page, for the `Link` header. */
    next?: string | undefined;
  } & Pick<MockReply<Id, Status, Examples, Types>, 'example' | 'body' | 'headers'>;
}[MockedStatus<Id, Examples, Types>];

/** Resolvers by operation. */
export type MockResolvers<Examples, Types> = {
  [Id in Mocked<Examples, Types>]?: MockResolver<Id, Examples, Types>;
};

/** A validated request: its values have the types of the contract, and the defaults are filled in. */
export type MockCall<Operation> = {
  path: ParametersOf<Operation, 'path'>;
  query: ParametersOf<Operation, 'query'>;
  header: ParametersOf<Operation, 'header'>;
  /** A value if the body is JSON, a form as FormData, a string if it is text, a Blob for any other media type; undefined without a body. */
  body: RequestBodyOf<Operation>;
  request: Request;
};

type ParametersOf<Operation, Place extends string> = Operation extends {
  parameters: { [Name in Place]?: infer Values };
}
  ? NonNullable<Values>
  : Record<never, never>;

type RequestBodyOf<Operation> = Operation extends { requestBody: { content: infer Content } }
  ? ContentBody<Content>
  : Operation extends { requestBody?: { content: infer Content } }
    ? ContentBody<Content> | undefined
    : undefined;

type ContentBody<Content> = {
  [MediaType in keyof Content]: MediaType extends `${string}/json` | `${string}+json`
    ? Content[MediaType]
    : MediaType extends Form
      ? FormData
      : MediaType extends `text/${string}`
        ? string
        : Blob;
}[keyof Content];

type Form = 'multipart/form-data' | 'application/x-www-form-urlencoded';
