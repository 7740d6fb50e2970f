import { type ErrorCode, errorStatus } from '@animal-store/contract';

/** What the state of things explains in a response. */
export type Expected = {
  status: number;
  /** Of an error its code and status only: the wording may change. */
  body: unknown;
  /** The header of that name; undefined where the response has none. */
  location?: string;
  /** The last id of a page that others follow; undefined where none do. */
  lastOfMore?: number;
  /** Does `Idempotency-Replayed: true` stand in the response? */
  replayed?: boolean;
};

export function refusal(code: ErrorCode): Expected {
  return { status: errorStatus[code], body: { code, status: errorStatus[code] } };
}
