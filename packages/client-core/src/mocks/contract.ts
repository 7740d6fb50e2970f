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

/** The parts of an operation that the mocks use. */
export type MockedOperation = {
  readonly method: string;
  readonly path: string;
  readonly requestBody: null | {
    readonly required: boolean;
    readonly mediaTypes: Readonly<Record<string, { readonly kind: string }>>;
  };
  readonly defaults: Readonly<Record<string, unknown>>;
};

/** The keywords of a schema that say how the text of a parameter is read. */
export type ParameterSchema = { readonly $ref?: string; readonly type?: unknown; readonly items?: ParameterSchema };

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
  readonly operations: Readonly<Record<string, MockedOperation>>;
  readonly replyExamples: Readonly<Record<string, Readonly<Record<string, DocumentedReply>>>>;
  readonly requestSchemas: Readonly<Record<string, RequestSchemas>>;
  readonly definitions: Readonly<Record<string, object>>;
  readonly errorStatus: Readonly<Record<string, number>>;
};

/** A response of any operation. Without `body`, it has the body of an example. */
export type GivenReply = {
  status: number;
  example?: string | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** The URL of the next page, for the `Link` header. */
  next?: string | undefined;
};

/** A validated request of any operation. */
export type AnyCall = {
  path: unknown;
  query: unknown;
  header: unknown;
  body: unknown;
  request: Request;
};

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
  readonly details: readonly { where: string; what: string }[] | undefined;

  constructor(code: string, message: string, details?: Refusal['details']) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
