import { randomUUID } from 'node:crypto';
import type { ErrorDetail } from '../common/facts.ts';
import type { Trace } from '../common/observed-response.ts';
import { redactSecrets } from '../keys/key-format.ts';
import type { ApiError } from '../openapi/api-error.ts';
import type { CompiledContract, Route } from '../openapi/compiled-contract.ts';
import type { CallerRecord } from '../openapi/security.ts';
import type { Verdict } from '../rate-limit/count-request.ts';

/** The parameters and the body of a request after validation, with the contract's types and defaults. */
export type ValidatedInput = Record<'query' | 'path' | 'header' | 'body', unknown>;
/** A form as it was sent: its values, in which `''` stands for each file, its files, and what is wrong with it. */
export type SentForm = {
  values: Record<string, unknown>;
  files: Record<string, unknown>;
  problems: ErrorDetail[];
};
type NewContext = Pick<RequestContext, 'requestId' | 'contract' | 'route' | 'receivedAt' | 'trace'> & {
  originOf: () => string;
};

/** The state of one request. The comment of each field names the step of `app.ts` that sets it. */
export class RequestContext {
  readonly requestId: string;
  readonly contract: CompiledContract;
  /** `requestContext`; `pages` and handlers of the API correct it. */
  route: Route;
  /** Unix milliseconds, by the clock of the app. */
  readonly receivedAt: number;
  /** `performance.now()` when the first middleware saw the request. */
  readonly startedAt = performance.now();
  /** `authenticate`: the caller, which is an API key unless a function has verified it; undefined without valid credentials. */
  key: CallerRecord | undefined = undefined;
  /** `authenticate`: why the caller may not call the operation. `requireCaller` refuses it, once it is counted. */
  scopeError: ApiError | undefined = undefined;
  /** `limit`: the state of the caller's quota; undefined until the request is counted, and if the contract has no quota for the caller. */
  verdict: Verdict | undefined = undefined;
  /** `limit`: whether the request was counted; false if the limiter is unavailable, and undefined before it is asked. */
  isCounted: boolean | undefined = undefined;
  /** `handleErrors`: the code of the `Error` body that the request is refused with. */
  errorCode: string | undefined = undefined;
  /** `requireOperation`: the media type of the response that the caller prefers; undefined if the operation's responses have no body. */
  accept: string | undefined = undefined;
  /** `readBody`: the media type of the request body, as the contract names it; undefined without a body. */
  contentType: string | undefined = undefined;
  /** `readBody`: the body as it was sent, for operations that ask for it. */
  rawBody: Uint8Array | undefined = undefined;
  /** `readBody`: the request body if it is a form. */
  form: SentForm | undefined = undefined;
  /** `validateRequest`: undefined until the request is validated. */
  input: ValidatedInput | undefined = undefined;
  /** The responder: `performance.now()` when a streamed body began; how long it lasts is up to the operation and the caller. */
  streamingSince: number | undefined = undefined;
  /** `requestContext`, or `traceRequests`: the trace that the request belongs to; undefined without one. */
  trace: Trace | undefined;
  readonly #originOf: () => string;
  #origin: string | undefined = undefined;

  constructor({ requestId, contract, route, receivedAt, trace, originOf }: NewContext) {
    this.requestId = requestId;
    this.contract = contract;
    this.route = route;
    this.receivedAt = receivedAt;
    this.trace = trace;
    this.#originOf = originOf;
  }

  /** Scheme, host and port of the links in the response. Computed on first use: most responses have no links. */
  get origin(): string {
    this.#origin ??= this.#originOf();
    return this.#origin;
  }
}

const acceptableId = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's X-Request-Id if it is well-formed and contains no API key; otherwise a new UUID. */
export function requestIdFrom(header: string | string[] | undefined): string {
  const isAcceptable = typeof header === 'string' && acceptableId.test(header) && redactSecrets(header) === header;
  return isAcceptable ? header : randomUUID();
}

const traceparentPattern =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?<rest>-.*)?$/;

/** Reads a `traceparent` header (https://www.w3.org/TR/trace-context/, section 3.2). Undefined if it is not valid. */
export function traceFrom(header: string | string[] | undefined): Trace | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId, rest] = traceparentPattern.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  // Only later versions may have more fields.
  return rest !== undefined && header.startsWith('00') ? undefined : { traceId, spanId };
}

declare global {
  namespace Express {
    interface Request {
      context: RequestContext;
    }
  }
}
