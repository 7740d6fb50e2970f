/** The sandbox of a key on a test server: data, quotas and a clock of its own. */
/** The sandbox of a caller, as its operations see it. */
export type Sandbox = {
  /** The time in the sandbox, in Unix milliseconds. */
  now(): Promise<number>;
  /**
   * Moves the time of the sandbox forward, and does what is due by then.
   *
   * @param to Unix milliseconds
   * @returns the new time; undefined if it was not moved, because it is not moved back, nor beyond the year 9998
   */
  moveClock(to: number): Promise<number | undefined>;
  /** Deletes the data, the usage and the recorded requests, and sets the clock back to the time of the server. */
  reset(): void;
  /** The last requests of the caller in the sandbox, the oldest first. */
  transcript(): Promise<readonly RecordedRequest[]>;
};

/** A request with its response. Secrets are replaced, and long bodies are cut. */
export type RecordedRequest = {
  requestId: string;
  /** When it arrived, by the clock of the sandbox, in Unix milliseconds. */
  receivedAt: number;
  milliseconds: number;
  /** The ID of the operation; undefined if the path has none. */
  operation: string | undefined;
  /** The code of the error response: the rule that refused the request. */
  code: string | undefined;
  request: RecordedMessage & { method: string; url: string };
  response: RecordedMessage & { status: number };
};

export type RecordedMessage = {
  /** By lower-case name, without credentials. */
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
};
