import { AbortError, type CallFacts, NetworkError, NoResponseError, TimeoutError } from '../errors.ts';
import type { ParseAs } from '../openapi-fetch.ts';
import type { Environment, Policy } from '../options.ts';
import { limitWork } from './time.ts';

/** The state of a call that its request does not contain. */
export type Call = {
  /** Among the calls of its client, from 1. */
  readonly number: number;
  /** Its method and path in the contract. */
  readonly operation: string;
  policy: Policy;
  readonly signal: AbortSignal;
  /** Replaces the `fetch` of the client. */
  readonly fetch?: Environment['fetch'] | undefined;
  /** How the body of a successful response is read. */
  readonly parseAs: ParseAs;
  /** Whether the body of the request is a stream, which cannot be sent again. */
  readonly isStreamed: boolean;
  /** Whether the caller has removed the key. */
  readonly isAnonymous?: boolean;
  /** When the call started, and when it must have ended, by the clock of the client. */
  readonly start: number;
  readonly end: number;
  idempotencyKey?: string | undefined;
  attempts: number;
  /** How many of them are known to have reached nobody. */
  unconnected: number;
  /** Settles when the body of a response that is read as a stream has ended. */
  streaming?: Promise<void>;
  /** Why the response cannot be used, if its bytes show it, or that the client made it. */
  problem?: string;
};

/** The properties of its call that every error has. */
export function factsOf({ operation, idempotencyKey, attempts, unconnected }: Call): CallFacts & { operation: string } {
  // A connection may have failed after it delivered the request. Browsers do not report which.
  return { operation, idempotencyKey, attempts, sent: attempts > unconnected };
}

/**
 * Sends a request once and reads the whole body of the response. A body that breaks off is a failure. Only a successful response that is
 * read as a stream is returned as soon as its headers have arrived; `timeout` no longer applies to its body.
 *
 * @throws NetworkError, TimeoutError
 */
export async function attemptOnce(
  request: Request,
  call: Call,
  { fetch, sleep }: Pick<Environment, 'fetch' | 'sleep'>,
): Promise<Response> {
  const { signal } = call;
  const { timeout } = call.policy;
  const what = `No response to ${request.method} ${request.url}`;
  // The problem of an earlier attempt says nothing about this one.
  delete call.problem;
  const limit = limitWork(signal, sleep, timeout, () => new TimeoutError(`${what} within ${timeout} ms.`));
  try {
    // A body can be read only once, and there may be another attempt. The clone of a stream would keep all of it in memory.
    const sent = new Request(call.isStreamed ? request : request.clone(), { signal: limit.signal });
    const loaded = Promise.resolve(sent)
      .then(call.fetch ?? fetch)
      .then((response) => load(response, call));
    // Also ends if `fetch` ignores the signal.
    return await limit.run(loaded);
  } catch (cause) {
    limit.signal.throwIfAborted();
    const reason = reasonOf(cause);
    if (/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(reason)) call.unconnected += 1;
    const hint = typeof document === 'undefined' ? '' : ' (offline, blocked, or no CORS headers)';
    throw new NetworkError(`${what}: ${reason}${hint}`, { cause });
  } finally {
    void limit.release(call.streaming);
  }
}

/** The error that a call throws: the client's own errors with the state of the call, and all others, such as those of `apiKey`, unchanged. */
export function thrownBy(call: Call, error: unknown): unknown {
  const { signal } = call;
  let thrown = error;
  if (signal.aborted) {
    const cause: unknown = signal.reason;
    const isTimeout = Object(cause).name === 'TimeoutError';
    const [Kind, what] = isTimeout ? [TimeoutError, 'timed out'] : [AbortError, 'was aborted'];
    // The deadline of the call is an error of its own.
    thrown = cause instanceof TimeoutError ? cause : new Kind(`The signal of ${call.operation} ${what}.`, { cause });
  }
  return thrown instanceof NoResponseError ? Object.assign(thrown, factsOf(call)) : thrown;
}

/** The root cause of a failure, because the message "fetch failed" alone is no help. */
function reasonOf(failure: unknown): string {
  const { cause, message, code }: { cause?: unknown; message?: unknown; code?: unknown } = Object(failure);
  // If several IP addresses were tried, the error has only a code.
  return cause === undefined ? String(message || code || failure) : reasonOf(cause);
}

async function load(response: Response, call: Call): Promise<Response> {
  const reader = response.body?.getReader();
  if (!reader) return response;
  if (response.ok && call.parseAs === 'stream') return observed(response, reader, call);
  // The body is read to its end here, so that it cannot break off later. In happy-dom, reading a clone would empty the response.
  const { maxResponseBytes } = call.policy;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size > maxResponseBytes) {
      call.problem = `more than ${maxResponseBytes} bytes`;
      await reader.cancel();
      return withBody(null, response);
    }
  }
  const body = new Uint8Array(size);
  for (const chunk of chunks.reverse()) {
    size -= chunk.length;
    body.set(chunk, size);
  }
  // Some statuses forbid a body, even an empty one.
  return withBody(chunks[0] ? body : null, response);
}

/** The same response, whose end is known. A pipe would deliver what it has read before an abort ends it. */
function observed(response: Response, reader: ReadableStreamDefaultReader<Uint8Array>, call: Call): Response {
  call.streaming = reader.closed.catch(() => {});
  const source: UnderlyingDefaultSource = {
    pull: (out) => reader.read().then(({ value, done }) => (done ? out.close() : out.enqueue(value))),
    cancel: (reason) => reader.cancel(reason),
  };
  return withBody(new ReadableStream(source, { highWaterMark: 0 }), response);
}

/** A copy of a response with another body. */
function withBody(body: BodyInit | null, response: Response): Response {
  const { status, url, headers } = response;
  // A server may send a status that the constructor refuses.
  const copy = new Response(body, status > 199 && status < 600 ? response : { status: 500, headers });
  return Object.defineProperties(copy, { url: { value: url }, status: { value: status } });
}
