/** Reads the credentials of a security scheme from a request, and says how to send them. */
import { X509Certificate } from 'node:crypto';
import type { Request } from 'express';
import { CERTIFICATE_HEADER, type SecurityScheme } from '../common/contract.ts';
import { headerValues } from '../http/message.ts';

/** Credentials as they were sent. */
export type SentCredentials = {
  /** The part that is secret, in which a key of the service may be. */
  secret: string;
  /** What the function of the scheme gets; undefined if the text is not in its format. */
  credentials: unknown;
};

/** How a scheme is used in HTTP. */
export type SchemeReader = {
  /** The credentials; undefined without any, and if there are several, because the caller would be ambiguous. */
  read: (request: Request) => SentCredentials | undefined;
  /** Whether the request uses the scheme, with valid credentials or not. */
  isUsed: (request: Request) => boolean;
  /** The challenge in `WWW-Authenticate`, with an error if the scheme has any (RFC 6750 3.1). */
  challenge: (error?: string) => string;
  /** An example of what to send. */
  example: (what: string) => string;
};

const bearer = /^Bearer +([^ ]+) *$/i;
const basic = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

export function readerOf(scheme: SecurityScheme, realm: string): SchemeReader {
  if (scheme.type === 'apiKey') return apiKeyReader(scheme, realm);
  if (scheme.type === 'mutualTLS') return certificateReader(realm);
  if (scheme.type === 'http' && scheme.scheme === 'basic') {
    return {
      read: (request) => basicCredentials(authorizationOf(request)),
      isUsed: ({ headers }) => /^Basic\b/i.test(headers.authorization ?? ''),
      challenge: () => `Basic realm="${realm}", charset="UTF-8"`,
      example: () => 'Authorization: Basic <USERNAME:PASSWORD in Base64>',
    };
  }
  return {
    read(request) {
      const token = bearer.exec(authorizationOf(request) ?? '')?.[1];
      return token === undefined ? undefined : { secret: token, credentials: { token } };
    },
    // RFC 6750 3.1: the 401 includes an error code only if the request used the Bearer scheme.
    isUsed: ({ headers }) => /^Bearer\b/i.test(headers.authorization ?? ''),
    challenge: (error = '') => `Bearer realm="${realm}"${error}`,
    example: (what) => `Authorization: Bearer <${what}>`,
  };
}

/** The Authorization header; undefined if there are several. */
function authorizationOf({ headers: { authorization }, rawHeaders }: Request): string | undefined {
  return headerValues(rawHeaders, 'authorization').length > 1 ? undefined : authorization;
}

/** RFC 7617: the username ends at the first colon. */
function basicCredentials(header = ''): SentCredentials | undefined {
  const [, encoded] = basic.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon === -1) return undefined;
  const [username, password] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  return { secret: password, credentials: { username, password } };
}

function apiKeyReader(scheme: Extract<SecurityScheme, { type: 'apiKey' }>, realm: string): SchemeReader {
  const { name } = scheme;
  const valuesOf = valuesIn[scheme.in](name);
  const challenge = `ApiKey realm="${realm}", in="${scheme.in}", name="${name}"`;
  return {
    read(request) {
      const [value = '', ...others] = valuesOf(request);
      return value === '' || others.length > 0 ? undefined : { secret: value, credentials: { value } };
    },
    isUsed: (request) => valuesOf(request).length > 0,
    challenge: () => challenge,
    example: (what) =>
      ({ header: `${name}: <${what}>`, query: `?${name}=<${what}>`, cookie: `Cookie: ${name}=<${what}>` })[scheme.in],
  };
}

type ValuesOf = (request: Request) => string[];

const valuesIn: Readonly<Record<'header' | 'query' | 'cookie', (name: string) => ValuesOf>> = {
  header: (name) => {
    const lowerCase = name.toLowerCase();
    return ({ rawHeaders }) => headerValues(rawHeaders, lowerCase).map((value) => value.trim());
  },
  query: (name) => (request) => [request.query[name] ?? []].flat().map(String),
  cookie: (name) => (request) => (isFromOtherSite(request) ? [] : cookiesOf(request, name)),
};

/**
 * Whether a page of another origin caused the request. Browsers send cookies with it, so it could act for a reader who did not ask for it. They
 * say so in Sec-Fetch-Site, and older ones in Origin; other programs send neither.
 */
function isFromOtherSite({ headers, host }: Request): boolean {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host);
}

/** RFC 6265 5.4. */
function cookiesOf({ headers: { cookie = '' } }: Request, name: string): string[] {
  return cookie.split(';').flatMap((pair) => {
    const [found = '', ...value] = pair.split('=');
    return found.trim() === name
      ? [
          value
            .join('=')
            .trim()
            .replace(/^"(.*)"$/, '$1'),
        ]
      : [];
  });
}

/** The certificate of the caller that a proxy has verified and passed on; other callers could invent one. */
function certificateReader(realm: string): SchemeReader {
  return {
    read(request) {
      const [value, ...others] = headerValues(request.rawHeaders, CERTIFICATE_HEADER.toLowerCase());
      if (value === undefined || others.length > 0) return undefined;
      const certificate = isFromProxy(request) ? certificateOf(value) : undefined;
      return { secret: value, credentials: certificate && { certificate } };
    },
    isUsed: ({ headers }) => headers['client-cert'] !== undefined,
    challenge: () => `Mutual realm="${realm}"`,
    example: () => 'a client certificate, which the proxy passes on in Client-Cert',
  };
}

function isFromProxy({ app, socket }: Request): boolean {
  const isTrusted: unknown = app.get('trust proxy fn');
  return typeof isTrusted === 'function' && isTrusted(socket.remoteAddress, 0) === true;
}

/** RFC 9440 2.1: DER in Base64, between colons. */
function certificateOf(value: string): X509Certificate | undefined {
  const [, encoded] = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value.trim()) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}
