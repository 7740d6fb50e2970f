/** The requests of a key in its sandbox, for its owner. */
import type { Request, Response } from 'express';
import { type Contract, headerOf } from '../common/contract.ts';
import type { RecordedRequest } from '../contract/sandbox.ts';
import { redactSecrets } from '../keys/key-format.ts';

const MAX_REQUESTS = 100;
/** The most characters of a URL or a header, and of a body. */
const MAX_TEXT = 1_000;
const MAX_BODY = 4_000;
/** The most characters of a transcript: with many long bodies, it has fewer requests. */
const MAX_SIZE = 256 * 1_024;

/** Headers with credentials of any API, and those that say nothing about the call. Those of the contract's security schemes are left out, too. */
const OMITTED = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'client-cert', 'connection', 'host'];

/** The last requests, the oldest first. */
export class Transcript {
  /** The names of the headers that it leaves out, in lower case. */
  readonly omitted: ReadonlySet<string>;
  readonly #entries: { request: RecordedRequest; size: number }[] = [];
  #size = 0;

  constructor({ securitySchemes }: Pick<Contract, 'securitySchemes'>) {
    const schemes = Object.values(securitySchemes);
    this.omitted = new Set([...OMITTED, ...schemes.map((scheme) => headerOf(scheme).toLowerCase())]);
  }

  get requests(): readonly RecordedRequest[] {
    return this.#entries.map(({ request }) => request);
  }

  add(request: RecordedRequest): void {
    const size = JSON.stringify(request).length;
    this.#entries.push({ request, size });
    this.#size += size;
    while (this.#entries.length > MAX_REQUESTS || this.#size > MAX_SIZE) this.#size -= this.#entries.shift()?.size ?? 0;
  }
}

/** Adds a request to a transcript after its response. */
export function recordRequest(request: Request, response: Response, transcript: Transcript): void {
  const { method, originalUrl } = request;
  const end = response.end;
  let sent: unknown;
  // Responses with a body of one piece are sent by `end`.
  response.end = (...parameters: unknown[]) => {
    [sent] = parameters;
    return Reflect.apply(end, response, parameters);
  };
  response.once('close', () => {
    const { requestId, receivedAt, route, errorCode, startedAt } = request.context;
    const { omitted } = transcript;
    transcript.add({
      requestId,
      receivedAt,
      milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
      operation: route.kind === 'operation' ? route.operation.id : undefined,
      code: errorCode,
      request: {
        method,
        url: urlInTranscript(originalUrl),
        headers: headersOf(request.headers, omitted),
        body: bodyOf(request.body),
      },
      response: { status: response.statusCode, headers: headersOf(response.getHeaders(), omitted), body: bodyOf(sent) },
    });
  });
}

/** A URL without secrets. Letters and digits that are encoded for no reason are decoded (RFC 3986 6.2.2.2), because they could hide one. */
export function urlInTranscript(url: string): string {
  return shown(decodedOf(url));
}

/** Without percent-encoding of letters, digits and the other characters that need none. */
function decodedOf(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (encoded, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}

function headersOf(headers: Readonly<Record<string, unknown>>, omitted: ReadonlySet<string>): Record<string, string> {
  const known = Object.entries(headers).filter(([name, value]) => value !== undefined && !omitted.has(name));
  return Object.fromEntries(known.map(([name, value]) => [shown(name), shown(String(value))]));
}

function bodyOf(body: unknown): string | undefined {
  if (body === undefined || typeof body === 'function' || Object(body)[Symbol.asyncIterator] !== undefined)
    return undefined;
  if (body instanceof Uint8Array) return `${body.length} bytes`;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text === '' || text === undefined ? undefined : shown(text, MAX_BODY);
}

function shown(text: string, most = MAX_TEXT): string {
  const decoded = decodedOf(text);
  const whole = redactSecrets(redactSecrets(decoded) === decoded ? text : decoded);
  return whole.length > most ? `${whole.slice(0, most)}…` : whole;
}
