import { newIdempotencyKey } from '../middleware/idempotency.ts';
import type { DocumentedReply, MockedOperation } from './contract.ts';
import { etagOf } from './etag.ts';
import type { Answer } from './respond.ts';

/** The body of a response, as a value and as it is sent, and the URL of the next page. */
type Sent = { body: unknown; content?: BodyInit; next?: string | undefined };

/** The headers of a response: the examples of the contract, with current times and the URLs of this client. */
export function headersOf(answer: Answer, { body, content, next }: Sent): Record<string, string> {
  const { operation, request, status, documented, given } = answer;
  const headers: Record<string, string> = { 'Cache-Control': 'no-store', ...documented.headers, ...given.headers };
  const links = [next === undefined ? undefined : `<${next}>; rel="next"`, headers['Link']].filter(Boolean);
  return {
    ...headers,
    ...rateLimitOf(headers, status, Date.now()),
    'X-Request-Id': request.headers.get('X-Request-Id') ?? newIdempotencyKey(),
    ...etagHeader(documented, content),
    ...locationOf(headers, operation, body, request.url),
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
    ...given.headers,
  };
}

/** The URL of the resource that a POST has added. */
function locationOf(headers: Record<string, string>, { method }: MockedOperation, body: unknown, url: string) {
  const { id } = Object(body);
  return 'Location' in headers && method === 'POST' && id !== undefined ? { Location: `${url}/${id}` } : {};
}

/** An ETag that changes with the body, so that a request with an old ETag does not get a 304. */
function etagHeader({ headers, optionalHeaders }: DocumentedReply, content: BodyInit | undefined) {
  if (typeof content !== 'string' || !('ETag' in { ...headers, ...optionalHeaders })) return {};
  return { ETag: etagOf(content) };
}

/** The window ends with this minute, if there is one. After a 429, no requests are left until `Retry-After`. */
function rateLimitOf(headers: Record<string, string>, status: number, now: number): Record<string, string> {
  const seconds = Math.ceil(now / 1_000);
  if (!('X-RateLimit-Reset' in headers)) return {};
  if (status !== 429 || !('Retry-After' in headers))
    return { 'X-RateLimit-Reset': `${Math.ceil((seconds + 1) / 60) * 60}` };
  return { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': `${seconds + Number(headers['Retry-After'])}` };
}
