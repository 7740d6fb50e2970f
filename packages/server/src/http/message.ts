import type { IncomingMessage } from 'node:http';

/**
 * Whether a request can be read in more than one way, although Node's parser took one: a proxy in front may have taken
 * another, and then a caller can hide one request in the body of the next. Ask after `toOriginForm`.
 */
export function isMalformed(request: IncomingMessage): boolean {
  return (
    !hasOneVersion(request) || !hasOneHost(request) || !hasOneFraming(request) || !hasOneAddress(request.url ?? '')
  );
}

/** Node reads HTTP/2.0 and HTTP/0.9 as if they were 1.1. */
function hasOneVersion({ httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' || httpVersion === '1.0';
}

/** RFC 9112 3.2: 400 without Host (1.0 may leave it out), with two of them, and where it is none. */
function hasOneHost({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  const sent = headerValues(rawHeaders, 'host');
  if (sent.length === 0) return httpVersion === '1.0';
  return sent.length === 1 && isHost(headers.host ?? '');
}

/**
 * RFC 9112 6.1: HTTP/1.0 has no Transfer-Encoding. Of the codings we have `chunked`; behind `gzip, chunked` the body is
 * not what Content-Type says, and Node reads a GET with `identity` as one without a body.
 */
function hasOneFraming({ httpVersion, headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked');
}

/** RFC 9112 3.2: a path, or `*`; the part behind `#` is never sent. */
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

/** An address without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** RFC 9112 3.2.2: a server accepts `GET http://host/path`, too, and takes the host from there. */
export function toOriginForm(request: IncomingMessage): void {
  const { url = '' } = request;
  if (url.startsWith('/')) return;
  const [, host, rest = ''] = /^https?:\/\/([^/?#]+)(.*)$/is.exec(url) ?? [];
  if (host === undefined) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
}

const hostAndPort = /^[A-Za-z0-9.-]+(:[0-9]{1,5})?$|^\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?$/;

/** A name or an address, with or without a port. */
export function isHost(text: string): boolean {
  return hostAndPort.test(text);
}

/**
 * Every value of a header, in the order sent. Node keeps one of two `Host`, `Content-Type` or `Authorization` headers and
 * drops the other in silence; a proxy in front may have kept the other one.
 *
 * @param name in lower case
 */
export function headerValues(rawHeaders: string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    // Most are told apart by their length.
    if (given?.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}
