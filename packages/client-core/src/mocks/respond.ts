import { isJson } from '../headers.ts';
import { newIdempotencyKey } from '../sending/retry.ts';
import { hashOf } from '../sending/shared-gate.ts';
import type { DocumentedReply, GivenReply, MockedContract } from './contract.ts';

/** A request of an operation, and the values of its path parameters. */
export type Sent = { id: string; request: Request; path: Readonly<Record<string, unknown>> };

/** The status of the success that an operation documents: its lowest one. */
export function successOf({ replyExamples }: MockedContract, id: string): number {
  const numbers = Object.keys(replyExamples[id] ?? {}).map(Number);
  return Math.min(...numbers.filter((number) => number > 0));
}

/** What the API itself may refuse with, although an operation does not have to document it. */
const undocumented: DocumentedReply = { headers: {}, optionalHeaders: {}, bodies: {} };

/** The response to a request with the given body or an example. */
export function respond({ replyExamples }: MockedContract, { id, request }: Sent, given: GivenReply): Response {
  const { status } = given;
  const documented = replyExamples[id]?.[status] ?? undocumented;
  const { example = Object.keys(documented.bodies)[0] ?? '' } = given;
  const body = given.body ?? documented.bodies[example];
  const mediaType = documented.mediaTypes?.[example] ?? 'application/json';
  const content = contentOf(body, mediaType);
  const headers = headersOf(documented, given, request, body, content);
  return new Response(content, {
    status,
    headers: content === null ? headers : { 'Content-Type': mediaType, ...headers },
  });
}

function contentOf(body: unknown, mediaType: string): BodyInit | null {
  if (body === undefined) return null;
  if (isJson(mediaType)) return JSON.stringify(body);
  if (typeof body === 'string' || body instanceof Blob || body instanceof ArrayBuffer) return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  throw new TypeError(`A body of ${mediaType} must be a string, a Blob or bytes.`);
}

/** The headers of a response: the examples of the contract, with current times and the URLs of this client. */
function headersOf(
  documented: DocumentedReply,
  { status, next, headers: given }: GivenReply,
  request: Request,
  body: unknown,
  content: BodyInit | null,
): Record<string, string> {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store', ...documented.headers, ...given };
  const links = [next === undefined ? undefined : `<${next}>; rel="next"`, headers['Link']].filter(Boolean);
  const hasEtag = typeof content === 'string' && 'ETag' in { ...documented.headers, ...documented.optionalHeaders };
  const { id } = Object(body);
  const isAdded = 'Location' in headers && request.method === 'POST' && id !== undefined;
  return {
    ...headers,
    ...rateLimitOf(headers, status, Date.now()),
    'X-Request-Id': request.headers.get('X-Request-Id') ?? newIdempotencyKey(),
    ...(hasEtag ? { ETag: etagOf(content) } : {}),
    ...(isAdded ? { Location: `${request.url}/${id}` } : {}),
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
    ...given,
  };
}

/** The window ends with this minute, if there is one. After a 429, no requests are left until `Retry-After`. */
function rateLimitOf(headers: Record<string, string>, status: number, now: number): Record<string, string> {
  const seconds = Math.ceil(now / 1_000);
  if (!('X-RateLimit-Reset' in headers)) return {};
  if (status !== 429 || !('Retry-After' in headers))
    return { 'X-RateLimit-Reset': `${Math.ceil((seconds + 1) / 60) * 60}` };
  return { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': `${seconds + Number(headers['Retry-After'])}` };
}

/** The ETag of an encoded body, which changes with the body. */
export function etagOf(content: string): string {
  return `"${hashOf(content)}"`;
}
