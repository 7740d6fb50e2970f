import { basePath, type ErrorCode, type OperationId, operations } from '@animal-store/contract';
import type { Answer, DocumentedReply } from './answer.ts';
import type { Page } from './page.ts';

type Deprecation = { since: string; sunset: string; successor: OperationId; documentation: string };

/** The headers of a reply: the examples of the contract, but times and addresses as they are now and here. */
export function headersOf(answer: Answer, { body, next, url }: Page & { url: string }): Record<string, string> {
  const { id, status, reply } = answer;
  const { stability, deprecation } = operations[id];
  const links = [...(next === undefined ? [] : [`<${next}>; rel="next"`]), ...linksOf(deprecation, url)];
  const headers = { ...reply.headers, ...waitOf(reply, body), ...answer.headers };
  return {
    ...headers,
    ...rateLimitOf(headers, status, Date.now()),
    ...('Location' in headers ? { Location: `${url}/${Object(body).id}` } : {}),
    ...(stability === 'beta' ? { 'X-Stability': stability } : {}),
    ...datesOf(deprecation),
    ...(links.length === 0 ? {} : { Link: links.join(', ') }),
    ...answer.headers,
  };
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

function datesOf(deprecation: Deprecation | null): Record<string, string> {
  if (deprecation === null) return {};
  const { since, sunset } = deprecation;
  return { Deprecation: `@${Date.parse(since) / 1_000}`, Sunset: new Date(sunset).toUTCString() };
}

function linksOf(deprecation: Deprecation | null, url: string): string[] {
  if (deprecation === null) return [];
  const { origin } = new URL(url);
  const { documentation, successor } = deprecation;
  return [
    `<${origin}${documentation}>; rel="deprecation"; type="text/html"`,
    `<${origin}${basePath}${operations[successor].path}>; rel="successor-version"`,
  ];
}
