import type { SentCredential } from '../credentials.ts';
import type { PagingTable } from '../paging.ts';
import type { ParameterSchema } from '../parameters.ts';

/** A response in the examples of the contract. */
export type DocumentedReply = {
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that this response has only under certain conditions. */
  readonly optionalHeaders: Readonly<Record<string, string>>;
  /** Empty for a response without a body. */
  readonly bodies: Readonly<Record<string, unknown>>;
  /** The media types of bodies other than application/json. */
  readonly mediaTypes?: Readonly<Record<string, string>>;
};

/** The fields of a form: the types of their texts, whether they are lists, and the media types of a file. */
export type FormFields = Readonly<
  Record<
    string,
    { readonly types: readonly string[]; readonly isList: boolean; readonly file?: readonly string[] | undefined }
  >
>;

/** The parts of an operation that the mocks use. */
export type MockedOperation = {
  readonly method: string;
  readonly path: string;
  /** `public` if the operation needs no API key. */
  readonly access: string;
  /** What the operation asks for: by default, a key as `Authorization: Bearer`. */
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody: null | {
    readonly required: boolean;
    readonly mediaTypes: Readonly<
      Record<string, { readonly kind: string; readonly maxBytes: number; readonly fields?: FormFields }>
    >;
  };
  readonly idempotent: boolean;
  readonly negotiates: boolean;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly stability: string;
  readonly deprecation: {
    readonly since: string;
    readonly sunset: string;
    readonly successor: string;
    readonly documentation: string;
  } | null;
};

/** The JSON Schemas of the parameters and bodies of an operation. */
export type RequestSchemas = {
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: ParameterSchema;
  }[];
  readonly bodies: Readonly<Record<string, object>>;
};

/** The parts of a contract that the mocks use: the generated constants, examples and schemas. */
export type MockedContract = {
  /** How the secret of each security scheme is sent. Default: `Authorization: Bearer`. */
  readonly credentials?: Readonly<Record<string, SentCredential>>;
  readonly basePath: string;
  readonly operations: Readonly<Record<string, MockedOperation>>;
  readonly replyExamples: Readonly<Record<string, Readonly<Record<string, DocumentedReply>>>>;
  readonly requestSchemas: Readonly<Record<string, RequestSchemas>>;
  readonly definitions: Readonly<Record<string, object>>;
  readonly errorStatus: Readonly<Record<string, number>>;
  /** How the pages of lists continue, by path. */
  readonly paging?: PagingTable;
  /** Whether errors are problems (RFC 9457). */
  readonly errorForm?: 'problem';
  readonly plans: Readonly<
    Record<string, { readonly title: string; readonly perMinute?: number; readonly perDay?: number }>
  >;
  readonly anonymousLimits: { readonly perMinute?: number; readonly perDay?: number } | null;
};

/** A response of any operation. Without `body`, it has the body of an example. */
export type GivenReply = {
  status: number;
  example?: string | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** The URL of the next page, for the `Link` header. */
  next?: string | undefined;
  /** Whether `body` is a whole list, of which the query selects a page. */
  isPaged?: boolean;
};

/** A validated request of any operation. */
export type AnyCall = {
  path: unknown;
  query: unknown;
  header: unknown;
  body: unknown;
  quota: QuotaState;
  request: Request;
};

/** Requests of the current minute and of the current UTC day, with this one counted. */
export type QuotaState = { minute: QuotaWindow; day: QuotaWindow };
/** `reset` is a Unix timestamp in seconds. `limit` is Infinity if the contract has no quota for the caller. */
export type QuotaWindow = { limit: number; remaining: number; reset: number };

/**
 * Computes the response of any operation. If it returns undefined, the next resolver is called; the last one returns the
 * examples of the contract.
 */
export type AnyResolver = {
  // A method, so that resolvers of single operations, which take narrower calls, are resolvers.
  resolve(call: AnyCall): Promise<GivenReply | undefined> | GivenReply | undefined;
}['resolve'];

/** A refusal with an error code of the contract. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly code: string;
  readonly parts: { headers?: Record<string, string>; details?: readonly { where: string; what: string }[] };

  constructor(code: string, message: string, parts: Refusal['parts'] = {}) {
    super(message);
    this.code = code;
    this.parts = parts;
  }
}
