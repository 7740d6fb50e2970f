import type { IncomingMessage } from 'node:http';
import type { ErrorCode, OperationId } from '@animal-store/contract';
import type { Route } from '../contract/router.ts';
import type { Limiter } from '../limiter/limiter.ts';
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

/** Counts the request by its address when it failed before its caller was counted: each response reports the caller's limits. */
export async function ensureVerdict(context: RequestContext, address: string, limiter: Limiter): Promise<void> {
  if (context.verdict !== undefined) return;
  const verdict = await limiter.countAddress(address);
  context.verdict ??= verdict;
}

/** What observers are told of a response that is over. Nothing in it is secret. */
export type ObservedResponse = {
  requestId: string;
  /** Absent when the request was too broken to have one. */
  method?: string;
  /** `unreadable`: refused before the app saw it. */
  operation: OperationId | Exclude<Route['kind'], 'operation'> | 'page' | 'unreadable';
  status: number;
  /** The code of an error response. */
  code: ErrorCode | undefined;
  /** Milliseconds from the request's headers to the end of the response. */
  milliseconds: number;
  keyId: string | undefined;
  /** The connection ended before the response did. */
  aborted: boolean;
};

export type ResponseObserver = (response: ObservedResponse) => void;

declare global {
  namespace Express {
    interface Request {
      /** When its headers had arrived, in the milliseconds of `performance.now()`. */
      readonly beganAt: number;
      context: RequestContext;
    }
  }
}
