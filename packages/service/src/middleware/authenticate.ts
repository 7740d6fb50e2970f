/** Two steps about callers: `authenticate` finds the caller, and `requireCaller` refuses a request whose credentials do not suffice. */
import type { Request, RequestHandler } from 'express';
import {
  type Contract,
  headerOf,
  isKeyScheme,
  isOwnPage,
  type Mode,
  type SecurityRequirement,
} from '../common/facts.ts';
import type { Clock } from '../common/time.ts';
import { headerValues } from '../http/message.ts';
import { parseSecret } from '../keys/key-format.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { ApiError } from '../openapi/api-error.ts';
import type { Route } from '../openapi/compiled-contract.ts';
import { type CallerRecord, keysInTestMode, requirementOf, type Verify } from '../openapi/security.ts';
import { verifiedCaller } from './verified-caller.ts';

export type AuthenticationParts = {
  contract: Contract;
  verify: Readonly<Record<string, Verify | undefined>>;
  keys: Pick<KeyRing, 'verify' | 'mode'>;
  /** The name of the service in challenges. */
  realm: string;
  clock: Clock;
};

type Scheme = {
  /** Whether its secrets are keys of the service, so that messages can speak of keys. */
  isKey: boolean;
  /** Whether the request uses the scheme, with a valid secret or not. */
  isUsed: (request: Request) => boolean;
  /** Undefined without a secret, and if there are several, because the caller would be ambiguous. */
  secretOf: (request: Request) => string | undefined;
  /** The caller that the secret belongs to; undefined if it is missing or not valid. */
  callerOf: (request: Request, scopes: readonly string[], now: number) => Promise<CallerRecord | undefined> | undefined;
  /** The challenge in `WWW-Authenticate`, with an error if the scheme has any (RFC 6750 3.1). */
  challenge: (error?: string) => string;
  example: string;
};

type Required = { scheme: Scheme; scopes: readonly string[]; isOptional: boolean };

export function authentication(parts: AuthenticationParts): Record<'authenticate' | 'requireCaller', RequestHandler> {
  const { contract, keys, clock } = parts;
  const requiredBy = (security: readonly SecurityRequirement[]): Required | undefined => {
    const requirement = requirementOf(security);
    return requirement && { ...requirement, scheme: schemeOf(requirement.name, parts) };
  };
  const operations = Object.entries(contract.operations);
  const byOperation = new Map(operations.map(([id, { security }]) => [id, requiredBy(security)]));
  // Also for unknown paths, so that the API reveals nothing without credentials.
  const byDefault = requiredBy(contract.security);
  const elsewhere = byDefault && { ...byDefault, scopes: [] };
  const requiredFor = (route: Route): Required | undefined =>
    route.kind === 'operation' ? byOperation.get(route.operation.id) : elsewhere;

  return {
    async authenticate(request, _response, next) {
      const { context } = request;
      const required = requiredFor(context.route);
      if (required === undefined) return next();
      const { scheme, scopes, isOptional } = required;
      const caller = await scheme.callerOf(request, scopes, clock());
      if (caller === undefined) return next();
      const missing = missingScopes(caller, scopes);
      if (missing.length > 0 && isOptional) return next();
      context.key = caller;
      if (missing.length > 0) context.scopeError = insufficientScope(caller, missing, required);
      next();
    },
    requireCaller(request, _response, next) {
      const { key, scopeError, route } = request.context;
      if (key !== undefined) return next(scopeError);
      const required = requiredFor(route);
      if (required === undefined || required.isOptional || !isApiPath(request.path, contract)) return next();
      const { scheme } = required;
      next(scheme.isUsed(request) ? invalidCredentials(request, scheme) : missingCredentials(scheme));
    },
  };

  /** Unknown, expired and revoked credentials get the same response. */
  function invalidCredentials(request: Request, scheme: Scheme): ApiError {
    const mode = scheme.isKey ? parseSecret(scheme.secretOf(request) ?? '', contract.keyPrefix) : undefined;
    const message =
      mode !== undefined && mode !== keys.mode
        ? belongsTo(mode, keys.mode, contract)
        : scheme.isKey
          ? 'The API key is not valid. Check that it is complete and has not expired or been revoked.'
          : 'The credentials are not valid. Check that they are complete and have not expired or been revoked.';
    return new ApiError('api_key_invalid', message, { headers: challenge(scheme, ', error="invalid_token"') });
  }
}

const bearer = /^Bearer +([^ ]+) *$/i;

/** @throws Error if the contract does not have the scheme */
function schemeOf(name: string, parts: AuthenticationParts): Scheme {
  const { contract, verify, keys, realm } = parts;
  const scheme = contract.securitySchemes[name];
  if (scheme === undefined) throw new Error(`The contract has no security scheme ${name}.`);
  const header = headerOf(scheme);
  const lowerCase = header.toLowerCase();
  const isBearer = scheme.type !== 'apiKey';
  const given = Object.hasOwn(verify, name) ? verify[name] : undefined;
  const check = given === keysInTestMode ? undefined : given;

  function secretOf({ headers, rawHeaders }: Request): string | undefined {
    const sent = headers[lowerCase];
    if (typeof sent !== 'string' || headerValues(rawHeaders, lowerCase).length > 1) return undefined;
    if (isBearer) return bearer.exec(sent)?.[1];
    // Some contracts describe bearer tokens in this way.
    const value = lowerCase === 'authorization' ? sent.replace(/^Bearer +/i, '') : sent;
    return value.trim() === '' ? undefined : value.trim();
  }

  return {
    isKey: check === undefined && isKeyScheme(scheme),
    // RFC 6750 3.1: the 401 includes an error code only if the request used the Bearer scheme.
    isUsed: ({ headers }) => (isBearer ? /^Bearer\b/i.test(headers.authorization ?? '') : lowerCase in headers),
    secretOf,
    callerOf(request, scopes, now) {
      const secret = secretOf(request);
      if (secret === undefined) return undefined;
      if (check !== undefined) return verifiedCaller(name, check, { request, secret, scopes, now, contract });
      return keys.verify(secret, now);
    },
    challenge: (error = '') =>
      isBearer ? `Bearer realm="${realm}"${error}` : `ApiKey realm="${realm}", in="header", name="${header}"`,
    example: `${header}: ${isBearer ? 'Bearer ' : ''}<${check === undefined ? 'API_KEY' : isBearer ? 'TOKEN' : 'VALUE'}>`,
  };
}

/** For a complete key of the other mode, whether or not it exists: its prefix says which server it is for, so this reveals nothing. */
function belongsTo(mode: Mode, here: Mode, { servers, keyPrefix }: Contract): string {
  return `This is a ${mode} key (${keyPrefix}_${mode}_…), but this server accepts ${here} keys only. Send it to ${servers[mode]}, or use a ${here} key (${keyPrefix}_${here}_…).`;
}

function missingCredentials(scheme: Scheme): ApiError {
  const { isKey, example } = scheme;
  const what = isKey ? 'an API key. Send it' : 'credentials. Send them';
  const message = `This operation requires ${what} as "${example}".`;
  return new ApiError('api_key_missing', message, { headers: challenge(scheme) });
}

function insufficientScope(
  { scope, verified }: CallerRecord,
  missing: readonly string[],
  { scheme, scopes }: Required,
): ApiError {
  const [these, use] =
    verified === undefined ? ['this API key has', 'a key'] : ['these credentials have', 'credentials'];
  const needed = inWords(missing);
  const message = `This operation requires ${needed}, but ${these} ${inWords(scope.split(' ').filter(Boolean))}. Use ${use} with ${needed}.`;
  const headers = challenge(scheme, `, error="insufficient_scope", scope="${scopes.join(' ')}"`);
  return new ApiError('insufficient_scope', message, { headers });
}

function challenge(scheme: Scheme, error?: string): Record<string, string> {
  return { 'WWW-Authenticate': scheme.challenge(error) };
}

/** The scopes of a list that a caller lacks. Among those of keys, `write` includes `read`. */
function missingScopes({ scope, verified }: CallerRecord, needed: readonly string[]): readonly string[] {
  if (verified !== undefined && verified.scopes === undefined) return [];
  const granted = scope.split(' ');
  if (verified === undefined && granted.includes('write')) granted.push('read');
  return needed.filter((one) => !granted.includes(one));
}

const and = new Intl.ListFormat('en-GB');

function inWords(names: readonly string[]): string {
  if (names.length === 0) return 'no scope';
  return names.length === 1 ? `the ${names[0]} scope` : `the scopes ${and.format(names)}`;
}

function isApiPath(path: string, { basePath }: Contract): boolean {
  if (basePath === '') return !isOwnPage(path);
  return path === basePath || path.startsWith(`${basePath}/`);
}
