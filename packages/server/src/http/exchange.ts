import type { ErrorCode } from '@animal-store/contract';
import type { Route } from '../request/routing.ts';
import type { KeyRecord } from '../storage/storage.ts';

/** What is known about one request and its reply, filled in along the request's way. */
export type Exchange = {
  /** X-Request-Id. */
  readonly id: string;
  readonly route: Route;
  /** Whether nothing that follows on the same connection may be read. */
  readonly isLast: boolean;
  /** Where links in the reply start: scheme, host and port. */
  readonly origin: string;
  /** Unix milliseconds at which the request arrived. */
  readonly arrivedAt: number;
  /** The API key of the caller; absent when none or no valid one was sent. */
  key?: KeyRecord;
  /** Why there is no key, for the 401. */
  keyProblem?: 'missing' | 'invalid';
  /** The code of the `Error` that it is answered with. */
  refusal?: ErrorCode;
  /** Query, path and body once the contract has been checked, so that they have its types. */
  validated?: { query: unknown; path: unknown; body: unknown };
};

declare global {
  namespace Express {
    interface Request {
      exchange: Exchange;
    }
  }
}
