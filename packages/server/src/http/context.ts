import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '@animal-store/contract';
import type { Route } from '../contract/router.ts';
import type { Verdict } from '../quota/verdict.ts';
import type { KeyRecord } from '../storage/storage.ts';

type Arrival = {
  id: string;
  route: Route;
  arrivedAt: number;
  isRepeated: boolean;
  originOf: () => string;
};

/** What is known about one request and its response, filled in along the request's way. */
export class RequestContext {
  /** X-Request-Id. */
  readonly id: string;
  route: Route;
  /** Unix milliseconds at which the request arrived. */
  readonly arrivedAt: number;
  /** Whether the same address was asked for lately, so that what is found out about it is worth keeping. */
  readonly isRepeated: boolean;
  /** The API key of the caller; undefined when none or no valid one was sent. */
  key: KeyRecord | undefined = undefined;
  /** Why there is no key, for the 401. */
  keyProblem: 'missing' | 'invalid' | undefined = undefined;
  /** Where the caller stands; undefined until it was counted. */
  verdict: Verdict | undefined = undefined;
  /** The code of the `Error` that it is answered with. */
  refusal: ErrorCode | undefined = undefined;
  /** Query, path and body once the contract has been checked, so that they have its types. */
  validated: { query: unknown; path: unknown; body: unknown } | undefined = undefined;
  readonly #originOf: () => string;
  #origin: string | undefined = undefined;

  constructor({ id, route, arrivedAt, isRepeated, originOf }: Arrival) {
    this.id = id;
    this.route = route;
    this.arrivedAt = arrivedAt;
    this.isRepeated = isRepeated;
    this.#originOf = originOf;
  }

  /** Where links in the response start: scheme, host and port. */
  get origin(): string {
    this.#origin ??= this.#originOf();
    return this.#origin;
  }
}

/** The context that a message of Node's belongs to; undefined when the app has not seen it. */
export function contextOf(request: IncomingMessage): RequestContext | undefined {
  return 'context' in request && request.context instanceof RequestContext ? request.context : undefined;
}

declare global {
  namespace Express {
    interface Request {
      /** When its headers had arrived, in the milliseconds of `performance.now()`. */
      readonly beganAt: number;
      context: RequestContext;
    }
  }
}
