import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { BodyKind, OperationFacts } from '../common/facts.ts';
import { ApiError } from '../openapi/api-error.ts';
import type { CompiledContract } from '../openapi/compiled-contract.ts';
import { rowOf } from '../openapi/document.ts';
import { etagOf, matchesIfNoneMatch } from '../openapi/etag.ts';
import type { AnyResult } from '../openapi/operation.ts';
import { createResponseCheck, type OutgoingResponse } from '../openapi/response-check.ts';
import type { Verdict } from '../rate-limit/count-request.ts';
import type { RequestContext } from './context.ts';
import { sendStream } from './stream.ts';

/** Alternating header names and values, as `writeHead` accepts them. A name may occur twice. */
export type HeaderList = string[];

export type Responder = {
  /** @throws ContractViolationError if the contract does not document the response */
  check: (context: RequestContext, outgoing: OutgoingResponse) => void;
  /** Checks, then sends. If the check throws, nothing has been sent. Resolves when a streamed body has been sent. */
  send: (request: Request, response: Response, outgoing: OutgoingResponse) => Promise<void> | undefined;
  /** For the 500 that replaces an undocumented error response. */
  sendUnchecked: (request: Request, response: Response, outgoing: OutgoingResponse) => void;
};

/** Milliseconds until a further response of an operation with the same status is checked, if not all are. */
const SAMPLE_INTERVAL = 60_000;

/**
 * @param checksAll set in development, in tests and with VALIDATE_RESPONSES. Otherwise one response of each operation and status in a
 *   minute is checked, and its problems are only logged
 */
export function createResponder(contract: CompiledContract, checksAll: boolean, log: Logger): Responder {
  const responseCheck = createResponseCheck(contract);
  // No password may be sent back.
  const throws = checksAll || contract.contract.json.includes('"writeOnly":true');
  const sampledAt = new Map<string, number>();

  function check(context: RequestContext, outgoing: OutgoingResponse): void {
    const { route } = context;
    if (throws) return void responseCheck.check(route, outgoing, toObject(headersOf(context, outgoing)));
    if (route.kind !== 'operation') return;
    const name = `${route.operation.id} ${outgoing.status}`;
    const now = performance.now();
    if (now - (sampledAt.get(name) ?? Number.NEGATIVE_INFINITY) < SAMPLE_INTERVAL) return;
    sampledAt.set(name, now);
    try {
      responseCheck.check(route, outgoing, toObject(headersOf(context, outgoing)));
    } catch (err) {
      const { requestId } = context;
      const operation = route.operation.id;
      log.error({ err, requestId, operation, status: outgoing.status }, 'the response is not documented; it was sent');
    }
  }

  function sendUnchecked(request: Request, response: Response, outgoing: OutgoingResponse): void {
    const headers = headersOf(request.context, outgoing);
    // A single call with an array takes half as long as setting the headers one by one.
    response.writeHead(outgoing.status, headers);
    response.end(outgoing.body, encodingOf(outgoing.body));
  }

  function send(request: Request, response: Response, outgoing: OutgoingResponse): Promise<void> | undefined {
    const { context } = request;
    const current = notModified(request, outgoing) ?? outgoing;
    check(context, current);
    if (current.stream === undefined) return void sendUnchecked(request, response, current);
    return sendStream(response, {
      status: current.status,
      headers: headersOf(context, current),
      items: current.stream,
      kind: kindOf(context, current),
      isHead: request.method === 'HEAD',
      checkItem: (item) => (throws ? responseCheck.checkItem(context.route, current, item) : undefined),
      onStart: () => {
        context.streamingSince = performance.now();
      },
      onFailure: (error) => {
        context.errorCode ??= error instanceof ApiError ? error.code : 'internal_error';
      },
    });
  }

  return { check, send, sendUnchecked };
}

/** The headers of every response: no type sniffing; web pages may read the body and all headers. */
const everyResponse: HeaderList = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
}).flat();

const noStore: HeaderList = ['Cache-Control', 'no-store'];

/** The headers of a response that must not be cached: an error, or a response for which the contract has no caching policy. */
export const plainHeaders: HeaderList = [...everyResponse, ...noStore];

/** The headers that depend on the request only, not on its response. */
export function commonHeaders(context: RequestContext, caching: readonly string[] = noStore): HeaderList {
  const { requestId, verdict, route, key } = context;
  const headers = ['X-Request-Id', requestId, ...everyResponse, ...caching];
  if (verdict !== undefined) headers.push(...limitHeaders(verdict));
  if (key?.expiresAt !== undefined && (route.kind !== 'operation' || route.operation.announcesExpiry)) {
    headers.push(...expiryHeaders(key.expiresAt, context));
  }
  if (route.kind === 'operation') {
    const { headers: announced, deprecation } = route.operation.lifecycle;
    headers.push(...announced);
    if (deprecation !== undefined) headers.push(...deprecation.linksFrom(context.origin));
  }
  return headers;
}

export function limitHeaders({ limit, remaining, reset }: Verdict): HeaderList {
  return [
    'X-RateLimit-Limit',
    String(limit),
    'X-RateLimit-Remaining',
    String(remaining),
    'X-RateLimit-Reset',
    String(reset),
  ];
}

function expiryHeaders(expiresAt: number, { contract, receivedAt }: RequestContext): HeaderList {
  const notice = contract.contract.limits.keyExpiryNoticeDays * 86_400_000;
  return expiresAt - receivedAt > notice ? [] : ['X-Key-Expires', new Date(expiresAt).toISOString()];
}

export function bodyHeaders(contentType: string, body: string): HeaderList {
  return ['Content-Type', contentType, 'Content-Length', String(Buffer.byteLength(body))];
}

export function sendNoContent(request: Request, response: Response, headers: HeaderList = []): void {
  response.writeHead(204, [...commonHeaders(request.context), ...headers]).end();
}

function headersOf(context: RequestContext, outgoing: OutgoingResponse): HeaderList {
  const { status, headers, contentType, body, etag } = outgoing;
  const { route } = context;
  const caching = route.kind === 'operation' ? route.operation.caching[status === 304 ? 200 : status] : undefined;
  const list = commonHeaders(context, caching);
  for (const name in headers) list.push(name, headers[name] ?? '');
  if (etag !== undefined) list.push('ETag', etag);
  if (contentType !== undefined) list.push('Content-Type', withCharset(contentType));
  if (body !== undefined) list.push('Content-Length', String(Buffer.byteLength(body)));
  return list;
}

/** Node writes an ASCII body faster as Latin-1, which has the same bytes. */
function encodingOf(body: OutgoingResponse['body']): 'latin1' | 'utf8' {
  return typeof body === 'string' && Buffer.byteLength(body) === body.length ? 'latin1' : 'utf8';
}

/** Without it, some clients read text as Latin-1. JSON and event streams are always UTF-8. */
function withCharset(contentType: string): string {
  const isText = contentType.startsWith('text/') && contentType !== 'text/event-stream';
  return isText ? `${contentType}; charset=utf-8` : contentType;
}

/** The 304 for a caller that already has the current response; undefined for any other caller. */
function notModified({ method, headers }: Request, outgoing: OutgoingResponse): OutgoingResponse | undefined {
  const { etag, status } = outgoing;
  const header = headers['if-none-match'];
  if (header === undefined || etag === undefined || status !== 200) return undefined;
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  return matchesIfNoneMatch(header, etag) ? { status: 304, headers: outgoing.headers, etag } : undefined;
}

/** The response of an operation, with its ETag if the contract documents one. */
export function createOutgoing(
  facts: OperationFacts,
  status: number,
  headers: Record<string, string>,
  { body, stream, contentType }: Pick<OutgoingResponse, 'body' | 'stream' | 'contentType'>,
): OutgoingResponse {
  const hasEtag = body !== undefined && facts.responses[status]?.etag === true;
  // A page with the same entries may have another next page, which is in Link.
  const etag = hasEtag ? etagOf(typeof body === 'string' ? `${body}${headers['Link'] ?? ''}` : body) : undefined;
  return { status, headers, body, stream, contentType, etag };
}

export function encodeResult(
  id: string,
  facts: OperationFacts,
  { status, headers = {}, body, contentType }: AnyResult,
): OutgoingResponse {
  const own: Record<string, string> = {};
  for (const name in headers) if (headers[name] !== undefined) own[name] = String(headers[name]);
  const { mediaTypes = {} } = facts.responses[status] ?? rowOf(facts.errors, status) ?? {};
  const name = contentType ?? Object.keys(mediaTypes)[0];
  if (body === undefined || name === undefined) return createOutgoing(facts, status, own, {});
  const { kind = 'binary', stream = false } = mediaTypes[name] ?? {};
  if (kind === 'json') return createOutgoing(facts, status, own, { body: JSON.stringify(body), contentType: name });
  if (stream && isAsyncIterable(body)) return createOutgoing(facts, status, own, { stream: body, contentType: name });
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (!stream && isPlain) return createOutgoing(facts, status, own, { body, contentType: name });
  throw new TypeError(`The body of ${id} does not match ${name}${stream ? ': it is not an AsyncIterable' : ''}.`);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function kindOf({ route }: RequestContext, { status, contentType = '' }: OutgoingResponse): BodyKind {
  const facts = route.kind === 'operation' ? route.operation.facts.responses[status] : undefined;
  return facts?.mediaTypes[contentType]?.kind ?? 'binary';
}

/** Headers by lower-case name. Repeated headers are joined, which means the same (RFC 9110 5.3). */
function toObject(headers: HeaderList): Record<string, string> {
  const values: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? '';
    const value = headers[index + 1] ?? '';
    values[name] = name in values ? `${values[name]}, ${value}` : value;
  }
  return values;
}
