import { AbortError, type CallFacts, NetworkError, NoResponseError, TimeoutError } from '../errors.ts';
import type { ParseAs } from '../openapi-fetch.ts';
import type { Environment, Policy } from '../options.ts';
import { onAbort } from './sleep.ts';

/** The state of a call that its request does not contain. */
export type Call = {
  policy: Policy;
  readonly signal: AbortSignal;
  /** Replaces the `fetch` of the client. */
  readonly fetch?: Environment['fetch'] | undefined;
  /** How the body of a successful response is read. */
  readonly parseAs: ParseAs;
  /** Whether the body of the request is a stream, which cannot be sent again. */
  readonly isStreamed: boolean;
  idempotencyKey: string | undefined;
  attempts: number;
  /** Why the response cannot be used, if its bytes show it. */
  problem?: string;
};

/** The properties of its call that every error has. */
export function factsOf({ idempotencyKey, attempts }: Call): CallFacts {
  // A connection may have failed after it delivered the request. Browsers do not report which.
  return { idempotencyKey, attempts, sent: attempts > 0 };
}

/**
 * Sends a request once and reads the whole body of the response. A body that breaks off is a failure. Only a successful response that is
 * read as a stream is returned as soon as its headers have arrived; `timeout` no longer applies to its body.
 *
 * @throws NetworkError, TimeoutError; bugs of a custom `fetch` unchanged
 */
export async function attemptOnce(
  request: Request,
  call: Call,
  { fetch, sleep }: Pick<Environment, 'fetch' | 'sleep'>,
): Promise<Response> {
  const { policy, signal } = call;
  const { timeout } = policy;
  signal.throwIfAborted();
  const trying = new AbortController();
  const ended = new AbortController();
  const forget = onAbort(signal, () => trying.abort(signal.reason));
  sleep(timeout, ended.signal).then(
    () => trying.abort(),
    () => {},
  );
  call.attempts += 1;
  try {
    // A body can be read only once, and there may be another attempt. The clone of a stream would keep all of it in memory.
    const sent = new Request(call.isStreamed ? request : request.clone(), { signal: trying.signal });
    // Also ends if `fetch` ignores the signal.
    const aborted = new Promise<never>((_, reject) => {
      trying.signal.onabort = () => reject(trying.signal.reason);
    });
    return await Promise.race([load(call.fetch ?? fetch, sent, call), aborted]);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    const what = `No response to ${request.method} ${request.url}`;
    if (trying.signal.aborted) throw new TimeoutError(`${what} within ${timeout} ms.`, { cause });
    if (isBug(cause)) throw cause;
    throw new NetworkError(`${what}: ${reasonOf(cause)}`, { cause });
  } finally {
    // The signal of the call also ends a stream that is still being read.
    if (call.parseAs !== 'stream') forget();
    ended.abort();
  }
}

/**
 * The error that a call throws: the client's own errors with the state of the call, and all others, such as a bug of a
 * custom `fetch`, unchanged.
 */
export function thrownBy(call: Call, error: unknown): unknown {
  const { signal } = call;
  let thrown = error;
  if (signal.aborted) {
    const cause: unknown = signal.reason;
    const Kind = Object(cause).name === 'TimeoutError' ? TimeoutError : AbortError;
    thrown = new Kind('The signal was aborted.', { cause });
  }
  return thrown instanceof NoResponseError ? Object.assign(thrown, factsOf(call)) : thrown;
}

/** Errors that can only be bugs. A TypeError may also be one, but `fetch` reports network failures as TypeErrors. */
function isBug(cause: unknown): boolean {
  return cause instanceof Error && /^(Ref|Ran|Syn)/.test(cause.name);
}

/** The root cause of a failure, because the message "fetch failed" alone is no help. */
function reasonOf(failure: unknown): string {
  const { cause, message, code }: { cause?: unknown; message?: unknown; code?: unknown } = Object(failure);
  // If several IP addresses were tried, the error has only a code.
  return cause === undefined ? String(message || code || failure) : reasonOf(cause);
}

async function load(fetch: Environment['fetch'], request: Request, call: Call): Promise<Response> {
  const response = await fetch(request);
  if (response.ok && call.parseAs === 'stream') return response;
  // Reading the copy keeps what it has read for the response itself, so that its body cannot break off later.
  const reader = response.clone().body?.getReader();
  let left = call.policy.maxResponseBytes;
  while (reader) {
    const { value, done } = await reader.read();
    if (done) break;
    left -= value.byteLength;
    if (left < 0) {
      call.problem = `more than ${call.policy.maxResponseBytes} bytes`;
      await Promise.all([reader.cancel(), response.body?.cancel()]);
      return new Response(null, response);
    }
  }
  return response;
}
