import type { IncomingMessage } from 'node:http';

const malformed = new WeakSet<IncomingMessage>();

/**
 * Whether a request is ambiguous although Node's parser accepted it. A proxy in front may interpret it differently, which
 * allows request smuggling: hiding one request in the body of another. Call it after `toOriginForm`.
 */
export function noteMalformed(request: IncomingMessage): boolean {
  if (hasOneVersion(request) && hasOneHost(request) && hasOneFraming(request) && hasOneAddress(request.url ?? '')) {
    return false;
  }
  malformed.add(request);
  return true;
}

/** Whether `noteMalformed` found a request to be ambiguous. */
export function isKnownMalformed(request: IncomingMessage): boolean {
  return malformed.has(request);
}

/** Node parses HTTP/2.0 and HTTP/0.9 as if they were 1.1. */
function hasOneVersion({ httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' || httpVersion === '1.0';
}

/** RFC 9112 3.2: a missing Host (allowed in HTTP/1.0), a repeated one and an invalid one are a 400. */
function hasOneHost({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  const sent = headerValues(rawHeaders, 'host');
  if (sent.length === 0) return httpVersion === '1.0';
  return sent.length === 1 && isHost(headers.host ?? '');
}

/**
 * RFC 9112 6.1: HTTP/1.0 has no Transfer-Encoding. Only `chunked` is supported: with `gzip, chunked` the body would not
 * match its Content-Type, and Node treats a GET with `identity` as a request without a body.
 */
function hasOneFraming({ httpVersion, headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked');
}

/** RFC 9112 3.2: the request target is a path or `*`, and has no fragment. */
function hasOneAddress(url: string): boolean {
  if (url.includes('#') || !(url.startsWith('/') || url === '*')) return false;
  const path = pathOf(url);
  if (!path.includes('%')) return true;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const failedBodies = new WeakMap<IncomingMessage, Error>();

/** Ends the body of a request for whoever reads it, because the rest cannot be parsed or is late. Its connection stays open for the response. */
export function failBody(request: IncomingMessage, reason: Error): void {
  failedBodies.set(request, reason);
  request.emit('close');
}

export function failureOfBody(request: IncomingMessage): Error | undefined {
  return failedBodies.get(request);
}

export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** RFC 9112 3.2.2: a server also accepts `GET http://host/path`, and takes the host from the URL. */
export function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.startsWith('/')) return;
  const [, host, rest = ''] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(url) ?? [];
  if (host === undefined) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
}

const hostAndPort = /^[A-Za-z0-9.-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;

/** Whether a text is a hostname or an IP address, with or without a port. */
export function isHost(text: string): boolean {
  return hostAndPort.test(text);
}

/**
 * Every value of a header, by its name in lower case. Of a repeated `Host`, Node keeps one, and a proxy in front may
 * have kept the other.
 */
export function headerValues(rawHeaders: string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index];
    // Comparing lengths first avoids most calls of toLowerCase.
    if (candidate?.length === name.length && candidate.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
