/** A reply as the contract has it in its examples. */
export type DocumentedReply = {
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that this reply has under conditions only. */
  readonly optionalHeaders: Readonly<Record<string, string>>;
  /** Empty for a response without a body. */
  readonly bodies: Readonly<Record<string, unknown>>;
  /** The media types of the bodies that are not application/json. */
  readonly mediaTypes?: Readonly<Record<string, string>>;
};

/** What the mocks know about an operation. */
export type MockedOperation = {
  readonly method: string;
  readonly path: string;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly stability: string;
  readonly deprecation: {
    readonly since: string;
    readonly sunset: string;
    readonly successor: string;
    readonly documentation: string;
  } | null;
};

/** What the mocks know about a contract. */
export type MockedContract = {
  readonly basePath: string;
  readonly operations: Readonly<Record<string, MockedOperation>>;
  readonly replyExamples: Readonly<Record<string, Readonly<Record<number, DocumentedReply>>>>;
};

/** A MockReply for any operation. */
export type GivenReply = { example?: string; body?: unknown; headers?: Record<string, string>; once?: boolean };

/** What answers the requests of an operation. */
export type Answer = {
  contract: MockedContract;
  operation: MockedOperation;
  status: number;
  reply: DocumentedReply;
  /** The documented 304 of the operation, for a request with the current ETag. */
  notModified: DocumentedReply | undefined;
  given: GivenReply;
};
