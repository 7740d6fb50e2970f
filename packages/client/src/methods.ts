import type { Client, ClientPathsWithMethod, FetchOptions, FetchResponse, ParseAs } from './openapi-fetch.ts';

/** The HTTP methods, spelled as in the types of the contract. */
export type Verb = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch' | 'trace';

/** The paths that have a method. */
export type PathWith<Paths extends object, Method extends Verb> = ClientPathsWithMethod<Client<Paths>, Method> &
  keyof Paths &
  string;

/** The operation with this path and method. */
export type OperationOf<Paths extends object, Method extends Verb, Path extends PathWith<Paths, Method>> = Extract<
  Paths[Path][Method & keyof Paths[Path]],
  Operation
>;

type Operation = Record<string, unknown>;

/** The JSON media types. */
export type Json = `${string}/json` | `${string}/${string}+json`;

/**
 * The options of a call: those of openapi-fetch, except that a body that is not JSON has a platform type such as `Blob`, and that
 * `parseAs` is required if a successful response is never JSON.
 */
export type InitOf<Op extends Operation> = Optional<BodyInit<Op> & ParseInit<Op>>;

type Optional<Init> = Record<never, never> extends Init ? Init | undefined : Init;

/** A body that is not JSON. Text may be a string, too. */
type RawBody<MediaType> =
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
  [MediaType in keyof Content]: MediaType extends Json ? never : RawBody<MediaType>;
}[keyof Content];

type Success<Op> = Op extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202 | 203 | 206)]
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
export type ResultOf<Op extends Operation, Init> =
  | FetchResponse<Op, Init, Json>
  | (Init extends { params: { header: { 'If-None-Match': string } } }
      ? { data: undefined; error?: never; response: Response }
      : never);

/** The data of a successful response. */
export type DataOf<Op extends Operation, Init = object> = Extract<ResultOf<Op, Init>, { data: unknown }>['data'];

/** The arguments after the path. They are optional only if nothing in them is required. */
type Rest<Init> = undefined extends Init ? [init?: Init & Others] : [init: Init & Others];
type Others = { [key: string]: unknown };

/** A method of the client: `store.GET(path, init)`. */
export type Method<Paths extends object, Name extends Verb> = <
  Path extends PathWith<Paths, Name>,
  Init extends InitOf<OperationOf<Paths, Name, Path>>,
>(
  path: Path,
  ...init: Rest<Init>
) => Promise<ResultOf<OperationOf<Paths, Name, Path>, Init>>;

/** A client with a function for each HTTP method, typed by its contract. */
export type Methods<Paths extends object> = Pick<Client<Paths>, 'use' | 'eject'> & {
  [Name in Verb as Uppercase<Name>]: Method<Paths, Name>;
} & {
  request: <Name extends Verb, Path extends PathWith<Paths, Name>, Init extends InitOf<OperationOf<Paths, Name, Path>>>(
    method: Name,
    path: Path,
    ...init: Rest<Init>
  ) => Promise<ResultOf<OperationOf<Paths, Name, Path>, Init>>;
};
