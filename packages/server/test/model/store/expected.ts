import { type ErrorCode, errorStatus } from '@animal-store/contract';

/** The parts of a response that the model predicts. */
export type Expected = {
  status: number;
  /** For an error only its code and status, because the wording may change. */
  body: unknown;
  /** The Location header; undefined if the response has none. */
  location?: string;
  /** The last ID of the page if more pages follow; otherwise undefined. */
  lastOfMore?: number;
  /** Identifies the next page: equal texts mean the same next page. */
  next?: string;
  /** Whether the response has `Idempotency-Replayed: true`. */
  replayed?: boolean;
  /** For a 304, the ETag that the caller already has. */
  etag?: string;
};

export function refusal(code: ErrorCode): Expected {
  return { status: errorStatus[code], body: { code, status: errorStatus[code] } };
}
