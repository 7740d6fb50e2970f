import { type ErrorCode, errorStatus } from '@animal-store/contract';

/** What the state of things explains in a response. */
export type Expected = {
  status: number;
  /** Of an error its code and status only: the wording may change. */
  body: unknown;
  /** What of the response's body is compared; left out for all of it. */
  shown?: (body: unknown) => unknown;
  /** The header of that name; undefined where the response has none. */
  location?: string;
  /** The last id of a page that others follow; undefined where none do. */
  lastOfMore?: number;
  /** Two pages that are followed by the same one have the same text here. */
  next?: string;
  /** Does `Idempotency-Replayed: true` stand in the response? */
  replayed?: boolean;
  /** The ETag that the caller has already, in a 304. */
  etag?: string;
};

export function refusal(code: ErrorCode): Expected {
  return { status: errorStatus[code], body: { code, status: errorStatus[code] } };
}
