/** Reads the credentials of all security schemes but bearer tokens, and calls the functions that verify credentials. */
import { X509Certificate } from 'node:crypto';
import type { Request } from 'express';
import { CERTIFICATE_HEADER, type Contract, firstPlan, type SecurityScheme } from '../common/contract.ts';
import { type Clock, withTimeout } from '../common/time.ts';
import { ApiError } from '../contract/api-error.ts';
import type { AnyVerify, CallerRecord, VerifiedCaller } from '../contract/security.ts';
import { authorizationOf, headerValues } from '../http/message.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { unprintable } from '../keys/new-key.ts';
import { StorageUnavailableError } from '../storage/storage.ts';

export type AuthenticationParts = {
  contract: Contract;
  /** The functions for the schemes that keys do not serve. */
  verify: Readonly<Record<string, AnyVerify | undefined>>;
  keys: Pick<KeyRing, 'verify' | 'mode'>;
  /** The name of the service in challenges. */
  realm: string;
  clock: Clock;
};

/** Finds the caller that credentials belong to; undefined if they are missing or not valid. */
export type CallerCheck = (
  request: Request,
  scopes: readonly string[],
  now: number,
) => Promise<CallerRecord | undefined> | undefined;

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

const basic = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** RFC 7617. */
export function basicReader(realm: string): SchemeReader {
  return {
    read: (request) => (isFromOtherSite(request) ? undefined : basicCredentials(authorizationOf(request))),
    isUsed: ({ headers }) => /^Basic\b/i.test(headers.authorization ?? ''),
    challenge: () => `Basic realm="${realm}", charset="UTF-8"`,
    example: () => 'Authorization: Basic <USERNAME:PASSWORD in base64>',
  };
}

/** The username ends at the first colon. */
function basicCredentials(header = ''): SentCredentials | undefined {
  const [, encoded] = basic.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon === -1) return undefined;
  const [username, password] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  return { secret: password, credentials: { username, password } };
}

/** A value in a header, the query or a cookie. */
export function apiKeyReader(scheme: Extract<SecurityScheme, { type: 'apiKey' }>, realm: string): SchemeReader {
  const { name } = scheme;
  const valuesOf = valuesIn[scheme.in](name);
  const challenge = `ApiKey realm="${realm}", in="${scheme.in}", name="${name}"`;
  return {
    read(request) {
      const [value = '', ...others] = valuesOf(request);
      if (value === '' || others.length > 0) return undefined;
      // Some contracts describe bearer tokens in this way.
      const secret = name.toLowerCase() === 'authorization' ? value.replace(/^Bearer +/i, '') : value;
      return { secret, credentials: { value } };
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
 * Whether a page of another origin caused the request. Browsers send cookies, passwords and certificates with it, so it could act for a reader
 * who did not ask for it. They say so in Sec-Fetch-Site, and older ones in Origin; other programs send neither.
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
export function certificateReader(realm: string): SchemeReader {
  return {
    read(request) {
      const [value, ...others] = headerValues(request.rawHeaders, CERTIFICATE_HEADER.toLowerCase());
      if (value === undefined || others.length > 0) return undefined;
      const isTrusted = isFromProxy(request) && !isFromOtherSite(request);
      const certificate = isTrusted ? certificateOf(value) : undefined;
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

/** RFC 9440 2.1: DER in base64, between colons. */
function certificateOf(value: string): X509Certificate | undefined {
  const [, encoded] = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value.trim()) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return new X509Certificate(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/** Milliseconds for which a request waits for a function: as long as it waits for the storage. */
const VERIFY_TIMEOUT = 2_000;

/** Asks the function of a scheme. */
export function functionCheck(
  name: string,
  verify: AnyVerify,
  reader: SchemeReader,
  { contract }: AuthenticationParts,
): CallerCheck {
  const defaultPlan = firstPlan(contract.plans) ?? '';

  async function call(request: Request, sent: SentCredentials, scopes: readonly string[]) {
    const stopped = new AbortController();
    try {
      // The function may throw before it returns a promise.
      const verifying = (async () => verify(sent.credentials, scopes, { request, signal: stopped.signal }))();
      return await withTimeout(verifying, VERIFY_TIMEOUT);
    } catch (error) {
      if (error instanceof StorageUnavailableError) throw error;
      const redact = redactor(request, sent);
      if (!(error instanceof ApiError)) throw notVerified(name, error, redact);
      // The log has the cause, too.
      if (error.cause !== undefined) error.cause = redacted(error.cause, redact);
      throw error;
    } finally {
      stopped.abort();
    }
  }

  return async (request, scopes, now) => {
    const sent = reader.read(request);
    if (sent?.credentials === undefined) return undefined;
    const verified = await call(request, sent, scopes);
    return verified && recordOf(name, verified, now, { contract, defaultPlan });
  };
}

type Redact = (text: string) => string;

/** Replaces what the caller sent in a text, also as it is in a URL, a header or JSON: errors of HTTP clients quote them. */
function redactor({ headers }: Request, { secret, credentials }: SentCredentials): Redact {
  const { authorization = '' } = headers;
  const sent = [secret, ...Object.values(Object(credentials))].filter((value) => typeof value === 'string');
  const forms = [...sent, sent.toReversed().join(':')].flatMap((value) => [
    value,
    encodeURIComponent(value.toWellFormed()),
    new URLSearchParams({ value }).toString().slice('value='.length),
    Buffer.from(value).toString('base64'),
    JSON.stringify(value).slice(1, -1),
  ]);
  const all = [...forms, authorization, authorization.replace(/^\S+ +/, '')].filter((text) => text !== '');
  // A short text may be a part of a longer one.
  const longestFirst = [...new Set(all)].sort((one, other) => other.length - one.length);
  return (text) => longestFirst.reduce((result, part) => result.replaceAll(part, '…'), text);
}

function redacted(error: unknown, redact: Redact): Error {
  const reason = error instanceof Error ? error : new Error(String(error));
  const { cause } = reason;
  const because = cause instanceof Error ? ` Cause: ${cause.message}` : '';
  const copy = new Error(redact(`${reason.message.replace(/\.$/, '')}.${because}`));
  copy.stack = redact(reason.stack ?? '');
  return copy;
}

/** 503: the caller can try again. The log gets the reason, without what the caller sent. */
function notVerified(name: string, error: unknown, redact: Redact): ApiError {
  const cause = redacted(error, redact);
  cause.message = `The function verify.${name} failed. ${cause.message}`;
  const message = 'Your credentials cannot be verified at the moment. Nothing was changed. Try again in 2 seconds.';
  return new ApiError('service_unavailable', message, { headers: { 'Retry-After': '2' }, cause });
}

/** @throws Error if the function returned what it must not */
function recordOf(
  scheme: string,
  verified: VerifiedCaller,
  now: number,
  { contract: { plans }, defaultPlan }: { contract: Contract; defaultPlan: string },
): CallerRecord {
  const { id, scopes = [], plan = defaultPlan } = verified;
  if (typeof id !== 'string' || id === '' || id.length > 255 || unprintable.test(id)) {
    throw new Error(`verify.${scheme} returned no ID of 1 to 255 printable characters.`);
  }
  const known = Object.hasOwn(plans, plan) ? plans[plan] : undefined;
  // A contract without plans has no default either.
  if (plan !== '' && (known === undefined || 'custom' in known)) {
    throw new Error(`verify.${scheme} returned the plan ${plan}, but it must be one of the contract that has limits.`);
  }
  // No ID of a key has a colon, and neither has the name of a scheme.
  return { id: `${scheme}:${id}`, plan, scope: scopes.join(' '), createdAt: now, verified };
}
