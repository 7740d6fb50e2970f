import { newIdempotencyKey } from '../middleware/idempotency.ts';
import type { DocumentedReply, MockedContract, MockedOperation } from './contract.ts';
import { etagOf } from './etag.ts';
import type { Answer } from './respond.ts';

/** The body of a response, as a value and as it is sent, and the URL of the next page. */
type Sent = { body: unknown; content?: BodyInit; next?: string | undefined };

/** The headers of a response: the examples of the contract, with current times and the URLs of this client. */
export function headersOf(answer: Answer, { body, content, next }: Sent): Record<string, string> {
  const { contract, operation, request, status, documented, given } = answer;
  const { stability, deprecation } = operation;
  const url = request.url;
  const links = [...(next === undefined ? [] : [`<${next}>; rel="next"`]), ...linksOf(contract, deprecation, url)];
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    ...documented.headers,
    ...waitOf(documented, body),
    ...given.headers,
  };
  return {
    ...headers,
    ...rateLimitOf(headers, status, Date.now()),
    'X-Request-Id': requestIdOf(request),
    ...etagHeader(documented, content),
    ...locationOf(headers, operation, body, url),
    ...(stability === 'beta' ? { 'X-Stability': stability } : {}),
    ...datesOf(deprecation),
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
    ...given.headers,
  };
}

/** The request ID of the request if the API would accept it, otherwise a new one. */
function requestIdOf({ headers }: Request): string {
  const sent = headers.get('X-Request-Id') ?? '';
  return /^[A-Za-z0-9._-]{1,128}$/.test(sent) ? sent : newIdempotencyKey();
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

/** Only this conflict passes by itself, so only its response has Retry-After. */
const passing = 'idempotency_key_in_use';

/**
 * The time that the message of the body names, so that the two do not contradict each other: contracts often have one example of the
 * header for all statuses.
 */
function waitOf({ headers, optionalHeaders }: DocumentedReply, body: unknown): Record<string, string> {
  const { code, message, detail } = Object(body);
  const example = headers['Retry-After'] ?? (code === passing ? optionalHeaders['Retry-After'] : undefined);
  if (example === undefined) return {};
  const [, seconds = example] =
    /\b(?:again|retry|wait|for)\b[^.]*?\b(\d+) seconds?\b/i.exec(String(message ?? detail)) ?? [];
  return { 'Retry-After': seconds };
}

/** The window ends with this minute, if there is one. After a 429, no requests are left until `Retry-After`. */
function rateLimitOf(headers: Record<string, string>, status: number, now: number): Record<string, string> {
  const seconds = Math.ceil(now / 1_000);
  if (!('X-RateLimit-Reset' in headers)) return {};
  if (status !== 429 || !('Retry-After' in headers))
    return { 'X-RateLimit-Reset': `${Math.ceil((seconds + 1) / 60) * 60}` };
  return { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': `${seconds + Number(headers['Retry-After'])}` };
}

type Deprecation = MockedOperation['deprecation'];

function datesOf(deprecation: Deprecation): Record<string, string> {
  if (deprecation === null) return {};
  const { since, sunset } = deprecation;
  return { Deprecation: `@${Date.parse(since) / 1_000}`, Sunset: new Date(sunset).toUTCString() };
}

function linksOf({ basePath, operations }: MockedContract, deprecation: Deprecation, url: string): string[] {
  if (deprecation === null) return [];
  const { origin } = new URL(url);
  const { documentation, successor } = deprecation;
  return [
    `<${origin}${documentation}>; rel="deprecation"; type="text/html"`,
    `<${origin}${basePath}${operations[successor]?.path}>; rel="successor-version"`,
  ];
}
