import { type ErrorCode, errorStatus } from '@animal-store/contract';

/** What the state of things explains in a response. */
export type Expected = {
  status: number;
  /** Of an error its code and status only: the wording may change. */
  body: unknown;
  /** The part of the response body that is compared. Default: all of it. */
  shown?: (body: unknown) => unknown;
  /** The header of that name; undefined where the response has none. */
  location?: string;
  /** The last id of a page that others follow; undefined where none do. */
  lastOfMore?: number;
  /** Identifies the next page: equal texts mean the same next page. */
  next?: string;
  /** Does `Idempotency-Replayed: true` stand in the response? */
  replayed?: boolean;
  /** In a 304, the ETag that the caller already has. */
  etag?: string;
};

export function refusal(code: ErrorCode): Expected {
  return { status: errorStatus[code], body: { code, status: errorStatus[code] } };
}
