import { NetworkError, TimeoutError } from '../errors.ts';
import { isJson } from '../headers/media-type.ts';
import type { ParseAs } from '../openapi-fetch.ts';
import type { Policy, Surroundings } from '../options.ts';

/** The options of a call that its request does not contain. */
export type CallBodies = {
  /** How the body of a successful response is read. Default: as JSON. */
  parseAs?: ParseAs | undefined;
  /** Whether the body of the request is a stream, which cannot be sent again. */
  isStreamed?: boolean;
};

/**
 * Sends a request once, and reads the whole body of the response. A body that breaks off is a failure. Only a successful response
 * that is read as a stream is returned as soon as its headers have arrived; `timeout` no longer applies to its body.
 *
 * @throws NetworkError, TimeoutError; the reason of the request's signal when that aborts
 */
export async function attemptOnce(
  request: Request,
  { timeout }: Pick<Policy, 'timeout'>,
  { fetch, sleep }: Pick<Surroundings, 'fetch' | 'sleep'>,
  { parseAs = 'json', isStreamed = false }: CallBodies = {},
): Promise<Response> {
  const { signal } = request;
  signal.throwIfAborted();
  const trying = new AbortController();
  const ended = new AbortController();
  const stop = () => trying.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  sleep(timeout, ended.signal).then(
    () => trying.abort(),
    () => {},
  );
  try {
    // A body can be read only once, and there may be another try. The clone of a stream would keep all of it in memory.
    const reply = load(fetch, new Request(isStreamed ? request : request.clone(), { signal: trying.signal }), parseAs);
    // Also ends when `fetch` is one that does not look at the signal.
    return await Promise.race([reply, aborted(trying.signal)]);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    const what = `No reply to ${request.method} ${request.url}`;
    if (trying.signal.aborted) throw new TimeoutError(`${what} within ${timeout} ms.`, { cause });
    throw new NetworkError(`${what}: ${reasonOf(cause)}`, { cause });
  } finally {
    // The signal of the call also ends a stream that is still being read.
    if (parseAs !== 'stream') signal.removeEventListener('abort', stop);
    ended.abort();
  }
}

/** What is at the bottom of a failure, in the platform's words: "fetch failed" alone helps nobody. */
function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure.cause !== undefined) return reasonOf(failure.cause);
  // Where several addresses were tried, there is only a code.
  return failure.message || ('code' in failure ? String(failure.code) : failure.name);
}

async function load(fetch: Surroundings['fetch'], request: Request, parseAs: ParseAs): Promise<Response> {
  const response = await fetch(request);
  if (response.ok && parseAs === 'stream') return response;
  const { status, statusText, headers, url } = response;
  const bytes = await response.arrayBuffer();
  if (response.ok && parseAs === 'json' && bytes.byteLength > 0 && !isJson(headers.get('Content-Type') ?? '')) {
    throw new TypeError('The reply is not JSON: something on the way has answered, not the API.');
  }
  // A status that has no body refuses even an empty one.
  const whole = new Response(bytes.byteLength === 0 ? null : bytes, { status, statusText, headers });
  return Object.defineProperty(whole, 'url', { value: url });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
