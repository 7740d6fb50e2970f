/** A trace, and the part of it that a log line belongs to: the span of this request, or of the caller. */
export type Trace = { traceId: string; spanId: string };

/** One finished response, for the access log and the metrics. It contains no secrets. */
export type ObservedResponse = {
  requestId: string;
  /** The IP address of the caller; behind a proxy by TRUST_PROXY, if the request could be parsed. */
  address: () => string;
  /** Absent if the request could not be parsed. */
  method?: string;
  /** Without the query. Absent if the request could not be parsed. */
  path?: string;
  /**
   * The ID of the operation; without one, why there is none: `page`, `unknown`, `wrong-method`, `malformed`, or `unreadable` if Node
   * refused the request before the app saw it.
   */
  operation: string;
  status: number;
  code: string | undefined;
  /** From the request's headers to the end of the response, or to the beginning of a streamed body. */
  milliseconds: number;
  /** The duration of a streamed body; undefined for all other responses. */
  streamMilliseconds: number | undefined;
  trace: Trace | undefined;
  /** The ID of the API key, or of the caller that a function verified, such as `oauth:user-1`. */
  keyId: string | undefined;
  /** Whether the connection closed before the response was sent in full. */
  aborted: boolean;
};

export type ResponseObserver = (response: ObservedResponse) => void;
