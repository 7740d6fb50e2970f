/** The requests of a key in its sandbox, for its owner. */
import type { OwnHandler } from '@contract-first/service';
import { type Contract, headerOf, redactSecrets } from '@contract-first/service/in-front';

/** A request with its response. Secrets are replaced, and long bodies are cut. */
export type RecordedRequest = {
  requestId: string;
  /** When it arrived, by the clock of the sandbox. */
  receivedAt: string;
  milliseconds: number;
  /** The ID of the operation, if the path has one. */
  operation?: string;
  /** The code of the error response: the rule that refused the request. */
  code?: string;
  request: RecordedMessage & { method: string; url: string };
  response: RecordedMessage & { status: number };
};

export type RecordedMessage = {
  /** By lower-case name, without credentials. */
  headers: Record<string, string>;
  body?: string;
};

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

  constructor(securitySchemes: Contract['securitySchemes']) {
    const own = Object.values(securitySchemes).map((scheme) => headerOf(scheme).toLowerCase());
    this.omitted = new Set([...OMITTED, ...own]);
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
export function recordRequest(
  request: Parameters<OwnHandler>[0],
  response: Parameters<OwnHandler>[1],
  transcript: Transcript,
): void {
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
    transcript.add({
      requestId,
      receivedAt: new Date(receivedAt).toISOString(),
      milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
      ...(route.kind === 'operation' ? { operation: route.operation.id } : {}),
      ...(errorCode === undefined ? {} : { code: errorCode }),
      request: { method, url: shown(originalUrl), ...messageOf(request.headers, request.body, transcript) },
      response: { status: response.statusCode, ...messageOf(response.getHeaders(), sent, transcript) },
    });
  });
}

function messageOf(headers: object, body: unknown, { omitted }: Transcript): RecordedMessage {
  const recorded = Object.entries(headers).filter(([name, value]) => value !== undefined && !omitted.has(name));
  const text = textOf(body);
  return {
    headers: Object.fromEntries(recorded.map(([name, value]) => [shown(name), shown(String(value))])),
    ...(text === undefined ? {} : { body: text }),
  };
}

function textOf(body: unknown): string | undefined {
  if (body === undefined || typeof body === 'function' || Object(body)[Symbol.asyncIterator] !== undefined)
    return undefined;
  if (body instanceof Uint8Array) return `${body.length} bytes`;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text === '' || text === undefined ? undefined : shown(text, MAX_BODY);
}

/** A text without secrets, cut if it is long. An encoded text is decoded if that reveals a secret. */
export function shown(text: string, most = MAX_TEXT): string {
  const decoded = decodedOf(text);
  const whole = redactSecrets(redactSecrets(decoded) === decoded ? text : decoded);
  return whole.length > most ? `${whole.slice(0, most)}…` : whole;
}

/** Without percent-encoding of letters, digits and the other characters that need none (RFC 3986 6.2.2.2). */
function decodedOf(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (encoded, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w.~-]/.test(character) ? character : encoded;
  });
}
