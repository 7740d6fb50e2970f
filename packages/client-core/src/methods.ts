import type { CallError } from './errors.ts';
import type { FetchClient, FetchOptions, FetchResponse, HeadersOptions, ParseAs } from './openapi-fetch.ts';

/** The HTTP methods, spelled as in the types of the contract. */
export type Verb = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

/** The paths that have a method. */
export type PathWith<Paths extends object, Method extends Verb> = {
  [Path in keyof Paths]: Paths[Path] extends { [_ in Method]: unknown } ? Path : never;
}[keyof Paths] &
  string;

/** The operation with this path and method. */
export type OperationOf<Paths extends object, Method extends Verb, Path extends PathWith<Paths, Method>> = Extract<
  Paths[Path][Method & keyof Paths[Path]],
  Operation
>;

type Operation = Record<string, unknown>;

/** The JSON media types. */
export type Json = `${string}/json` | `${string}/${string}+json`;

/** The options that every call takes. They replace those of the client for this call. Times are in milliseconds. */
export type CallOptions = {
  /** The longest time that one attempt may take. */
  timeout?: number | undefined;
  /** How long the call may take in all, with its waits and retries. Does not apply to the body of a stream. */
  deadline?: number | undefined;
  /** Attempts after the first one. */
  maxRetries?: number | undefined;
  /**
   * The longest time to wait for new quota, or because of a `Retry-After` and those that follow it. The call fails if it would have to
   * wait longer.
   */
  maxRetryAfter?: number | undefined;
  /** Ends the whole call, including retries and waiting. */
  signal?: AbortSignal | undefined;
  /** Headers to add to those of the client. `undefined` keeps a header of the client, and `null` removes it. */
  headers?: HeadersOptions | undefined;
  /** The `Idempotency-Key` of the call, for operations that take one. By default, the client generates a key for each call. */
  idempotencyKey?: string | undefined;
};

/**
 * The options of a call: those of every call, and those of openapi-fetch, except that a body that is not JSON has a platform type such
 * as `Blob`, and that `parseAs` is required if a successful response is never JSON.
 */
export type InitOf<Op extends Operation> = Optional<
  Omit<BodyInit<Op>, keyof CallOptions | 'method'> & CallOptions & ParseInit<Op>
>;

type Optional<Init> = Record<never, never> extends Init ? Init | undefined : Init;

/** A form may also be the platform's own. */
type FormBody<MediaType, Schema> = MediaType extends 'multipart/form-data'
  ? Schema | FormData
  : MediaType extends 'application/x-www-form-urlencoded'
    ? Schema | URLSearchParams
    : never;

/** A body that is not JSON. Text may be a string, too. */
export type RawBody<MediaType> =
  | Blob
  | ArrayBuffer
  | ArrayBufferView<ArrayBuffer>
  | ReadableStream<Uint8Array>
  | (MediaType extends `text/${string}` ? string : never);

type BodyInit<Op extends Operation> = Op extends { requestBody: { content: infer Content } }
  ? RawContent<Content> extends never
    ? FetchOptions<Op>
    : Omit<FetchOptions<Op>, 'body'> & { body: Content[keyof Content & Json] | RawContent<Content> }
  : Op extends { requestBody?: { content: infer Content } }
    ? RawContent<Content> extends never
      ? FetchOptions<Op>
      : Omit<FetchOptions<Op>, 'body'> & { body?: Content[keyof Content & Json] | RawContent<Content> | undefined }
    : FetchOptions<Op>;

type RawContent<Content> = {
  [MediaType in keyof Content]: MediaType extends Json
    ? never
    : [FormBody<MediaType, Content[MediaType]>] extends [never]
      ? RawBody<MediaType>
      : FormBody<MediaType, Content[MediaType]>;
}[keyof Content];

type Success<Op> = Op extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202 | 203 | 204 | 206 | 207 | '2XX')]
  : never;

type ParseInit<Op> = [HasRawSuccess<Success<Op>>] extends [never]
  ? unknown
  : { /** The success is not JSON. */ parseAs: Exclude<ParseAs, 'json'> };

/** `true` if a successful response has a body, but none in a JSON media type. */
type HasRawSuccess<Response> = Response extends { content: infer Content }
  ? [keyof Content & Json] extends [never]
    ? true
    : never
  : never;

/** The result of a call. A 304, which is possible only with `If-None-Match`, has no data. */
export type ResultOf<Op extends Operation, Init, Failure = CallError> =
  | Extract<FetchResponse<Op, Init, Json>, { data: unknown }>
  | { data?: never; error: Failure; response: Response }
  | (Init extends Conditional ? { data: undefined; error?: never; response: Response } : never);

/** The `error` of an operation: its own if `Failures` is a table by method and path, `POST /notes`, otherwise the same for all. */
export type FailureOf<Failures, Operation extends string> = Operation extends keyof Failures
  ? Failures[Operation]
  : Failures extends CallError
    ? Failures
    : CallError;

/** The method and path of an operation, as the contract names them. */
export type NameOf<Method extends Verb, Path extends string> = `${Uppercase<Method>} ${Path}`;

/** The data of a successful response. JSON has the type of the contract, which editors show by its name. */
export type DataOf<Op extends Operation, Init = object> = Init extends { parseAs: ParseAs } | Conditional
  ? Extract<ResultOf<Op, Init>, { data: unknown }>['data']
  : JsonOf<Success<Op>>;

type JsonOf<Response> = Response extends { content: infer Content }
  ? [keyof Content & Json] extends [never]
    ? Content
    : Content[keyof Content & Json]
  : undefined;

/**
 * The type of the same options with a message in place of each property that the call does not have, `params` and a JSON body
 * included. TypeScript itself reports such a property only in an object literal. This also reports it in a variable, unless the type of
 * the variable does not have the property.
 */
export type Exact<Given, Allowed> = Given extends object
  ? {
      [Key in keyof Given]: Key extends 'params' | 'body'
        ? ExactValue<Given[Key], Exclude<PropertyOf<Allowed, Key>, PlatformBody>>
        : Known<Key, Allowed>;
    }
  : unknown;

/** What the platform has for bodies. */
type PlatformBody = RawBody<'text/plain'> | FormData | URLSearchParams;

/** The same for a value: at every depth, because parameters and bodies are plain data. */
type ExactValue<Given, Allowed> = unknown extends Allowed
  ? unknown
  : Given extends PlatformBody | undefined | null
    ? unknown
    : Given extends readonly (infer Item)[]
      ? readonly ExactValue<Item, Allowed extends readonly (infer AllowedItem)[] ? AllowedItem : never>[]
      : Given extends object
        ? { [Key in keyof Given]: Known<Key, Allowed> & ExactValue<Given[Key], PropertyOf<Allowed, Key>> }
        : unknown;

type Known<Key, Allowed> =
  Key extends KeyOf<Allowed> ? unknown : `The call does not have the property ${Key & string}.`;

/** The keys of all members of a union. */
type KeyOf<Allowed> = Allowed extends unknown ? keyof Allowed : never;

type PropertyOf<Allowed, Key> = Allowed extends unknown ? (Key extends keyof Allowed ? Allowed[Key] : never) : never;

/** The arguments after the path. They are optional only if nothing in them is required. */
export type Rest<Init, Allowed> = undefined extends Init
  ? [init?: Init & Exact<Init, NonNullable<Allowed>>]
  : [init: Init & Exact<Init, NonNullable<Allowed>>];

/** A call that gets a 304 if the version that it names is current. */
type Conditional = { params: { header: { 'If-None-Match': string } } };

/**
 * A method of the client: `GET(path, init)`. The first signatures are those whose options change the type of the data. Editors report the
 * errors of the last one.
 */
export type Method<Paths extends object, Name extends Verb, Failures = CallError> = {
  <Path extends PathWith<Paths, Name>, As extends ParseAs>(
    path: Path,
    init: InitAt<Paths, Name, Path> & Conditional & { parseAs: As },
  ): Promise<ResultAt<Paths, Name, Path, Conditional & { parseAs: As }, Failures>>;
  <Path extends PathWith<Paths, Name>>(
    path: Path,
    init: InitAt<Paths, Name, Path> & Conditional,
  ): Promise<ResultAt<Paths, Name, Path, Conditional, Failures>>;
  <Path extends PathWith<Paths, Name>, As extends ParseAs>(
    path: Path,
    init: InitAt<Paths, Name, Path> & { parseAs: As },
  ): Promise<ResultAt<Paths, Name, Path, { parseAs: As }, Failures>>;
  <Path extends PathWith<Paths, Name>>(
    path: undefined extends InitOf<OperationOf<Paths, Name, Path>> ? Path : 'a path without required parameters',
    init?: InitAt<Paths, Name, Path>,
  ): Promise<ResultAt<Paths, Name, Path, object, Failures>>;
  <Path extends PathWith<Paths, Name>>(
    path: Path,
    init: InitAt<Paths, Name, Path>,
  ): Promise<ResultAt<Paths, Name, Path, object, Failures>>;
};

type InitAt<Paths extends object, Name extends Verb, Path extends PathWith<Paths, Name>> = NonNullable<
  InitOf<OperationOf<Paths, Name, Path>>
>;

type ResultAt<Paths extends object, Name extends Verb, Path extends PathWith<Paths, Name>, Init, Failures> = ResultOf<
  OperationOf<Paths, Name, Path>,
  Init,
  FailureOf<Failures, NameOf<Name, Path>>
>;

/** A client with a function for each HTTP method, typed by its contract. `Failures`: see `FailureOf`. `Documented` are further signatures of these functions. */
export type Methods<Paths extends object, Failures = CallError, Documented = unknown> = Pick<
  FetchClient<Paths>,
  'use' | 'eject'
> & {
  [Name in Verb as Uppercase<Name>]: (Uppercase<Name> extends keyof Documented
    ? Documented[Uppercase<Name>]
    : unknown) &
    Method<Paths, Name, Failures>;
} & {
  request: <Name extends Verb, Path extends PathWith<Paths, Name>, Init extends InitOf<OperationOf<Paths, Name, Path>>>(
    method: Name,
    path: Path,
    ...init: Rest<Init, InitOf<OperationOf<Paths, Name, Path>>>
  ) => Promise<ResultOf<OperationOf<Paths, Name, Path>, Init, FailureOf<Failures, NameOf<Name, Path>>>>;
};

/** The result of a call: `data`, or `error`. */
export type CallResult<Data, Failure = CallError> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: Failure; response: Response };

/** The options of every call by path: those of named methods, and those of `fetch` and of openapi-fetch. */
export interface CallInit extends CallOptions, Omit<FetchOptions<object>, OfOperation> {}

type OfOperation = keyof CallOptions | 'method' | 'params' | 'body' | 'parseAs';

/** How to read a body that is not JSON. */
export type RawParseAs = Exclude<ParseAs, 'json'>;

/** The data of a response by how it is read. */
export type RawData = { text: string; blob: Blob; arrayBuffer: ArrayBuffer; stream: Response['body'] };

/**
 * The signature that editors read while a call is written: the first one. No call matches it, because none has a third argument, whose type
 * is a literal because TypeScript moves signatures with literals to the front. `Calls` are the options and the result of each path.
 */
export type WhileWriting<Calls extends { [Path in keyof Calls]: { init: unknown; result: unknown } }> = <
  Path extends keyof Calls,
>(
  path: Path,
  init: Calls[Path]['init'],
  overloads: 'follow',
) => Promise<Calls[Path]['result']>;
