import type { ErrorCode } from '@animal-store/contract';
import type { Answer, DocumentedReply, MockedContract, MockedOperation } from './answer.ts';
import type { Page } from './page.ts';

/** The body and the URL of a response. `content` is the body as it is sent. */
type Sent = Page & { content?: BodyInit; url: string };

/** The headers of a reply: the examples of the contract, but times and addresses as they are now and here. */
export function headersOf(answer: Answer, { body, content, next, url }: Sent): Record<string, string> {
  const { contract, operation, status, reply, given } = answer;
  const { stability, deprecation } = operation;
  const links = [...(next === undefined ? [] : [`<${next}>; rel="next"`]), ...linksOf(contract, deprecation, url)];
  const headers = { ...reply.headers, ...waitOf(reply, body), ...given.headers };
  return {
    ...headers,
    ...rateLimitOf(headers, status, Date.now()),
    ...etagOf(reply, content),
    ...locationOf(headers, operation, body, url),
    ...(stability === 'beta' ? { 'X-Stability': stability } : {}),
    ...datesOf(deprecation),
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
function etagOf({ headers, optionalHeaders }: DocumentedReply, content: BodyInit | undefined): Record<string, string> {
  if (typeof content !== 'string' || !('ETag' in { ...headers, ...optionalHeaders })) return {};
  const hash = [...content].reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0, 0);
  return { ETag: `"${hash.toString(16)}"` };
}

/** Of the conflicts only this one passes by itself, and says when. */
const passing: ErrorCode = 'idempotency_key_in_use';

function waitOf({ optionalHeaders }: DocumentedReply, body: unknown): Record<string, string> {
  const seconds = optionalHeaders['Retry-After'];
  return seconds !== undefined && Object(body).code === passing ? { 'Retry-After': seconds } : {};
}

/** The window ends with this minute; after a 429 nothing is left of it until `Retry-After`. */
function rateLimitOf(headers: Record<string, string>, status: number, now: number): Record<string, string> {
  const seconds = Math.ceil(now / 1_000);
  if (status !== 429) return { 'X-RateLimit-Reset': `${Math.ceil((seconds + 1) / 60) * 60}` };
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
