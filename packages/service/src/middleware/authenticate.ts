/** `authenticate` finds the caller, and `requireCaller` refuses the request if credentials are missing, invalid or not sufficient. */
import type { Request, RequestHandler } from 'express';
import {
  type Contract,
  isKeyScheme,
  isOwnPage,
  type Mode,
  type SecurityRequirement,
  type SecurityScheme,
} from '../common/contract.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Route } from '../contract/compiled-contract.ts';
import { type CallerRecord, keysInTestMode } from '../contract/security.ts';
import type { RequestContext } from '../http/context.ts';
import { authorizationOf } from '../http/message.ts';
import { parseSecret } from '../keys/key-format.ts';
import {
  type AuthenticationParts,
  apiKeyReader,
  basicReader,
  type CallerCheck,
  certificateReader,
  functionCheck,
  type SchemeReader,
} from './credentials.ts';

/** A security scheme with what checks its credentials. */
type Scheme = SchemeReader & {
  /** Whether its credentials are keys of the service, so that messages can speak of keys. */
  isKey: boolean;
  /** What stands for the secret in an example. */
  secretName: string;
  check: CallerCheck;
};

/** Schemes that must all accept a request. The caller is that of the first one. */
type Alternative = readonly { scheme: Scheme; scopes: readonly string[] }[];

/** The alternatives of an operation; empty if it needs no credentials. */
type Required = { alternatives: readonly Alternative[]; isOptional: boolean };

/** A caller, and the scopes that it lacks. */
type Found = { caller: CallerRecord; missing: readonly string[] };

/** The steps that find the caller, and refuse requests without one. */
export function authentication(parts: AuthenticationParts): Record<'authenticate' | 'requireCaller', RequestHandler> {
  const { contract, keys, realm, clock } = parts;
  const schemes = new Map(Object.keys(contract.securitySchemes).map((name) => [name, schemeOf(name, parts)]));
  const requiredBy = (security: readonly SecurityRequirement[], withScopes = true): Required => {
    const alternatives = security.map((requirement) =>
      Object.entries(requirement).map(([name, scopes]) => {
        const scheme = schemes.get(name);
        if (scheme === undefined) throw new Error(`The contract has no security scheme ${name}.`);
        return { scheme, scopes: withScopes ? scopes : [] };
      }),
    );
    const used = alternatives.filter(({ length }) => length > 0);
    return { alternatives: used, isOptional: used.length < alternatives.length };
  };
  const operations = Object.entries(contract.operations);
  const byOperation = new Map(operations.map(([id, { security }]) => [id, requiredBy(security)]));
  // Also for unknown paths, so that the API reveals nothing without credentials.
  const elsewhere = requiredBy(contract.security, false);
  const requiredFor = (route: Route): Required =>
    (route.kind === 'operation' ? byOperation.get(route.operation.id) : undefined) ?? elsewhere;

  /** Finds the first alternative that the request satisfies, or else one for which the caller only lacks scopes. */
  async function identify(request: Request, { alternatives, isOptional }: Required, now: number): Promise<void> {
    const failures: unknown[] = [];
    for (const alternative of alternatives) {
      // No function is called for a combination that lacks credentials.
      if (!alternative.every(({ scheme }) => scheme.isUsed(request))) continue;
      const found = await callerOf(request, alternative, now).catch((error: unknown) => {
        failures.push(error);
        return undefined;
      });
      if (found !== undefined && settle(request.context, alternative, found, isOptional)) return;
    }
    // Only if no other alternative accepts the request.
    if (failures.length > 0 && request.context.key === undefined) throw failures[0];
  }

  async function callerOf(request: Request, alternative: Alternative, now: number): Promise<Found | undefined> {
    let first: CallerRecord | undefined;
    const missing: string[] = [];
    for (const { scheme, scopes } of alternative) {
      const caller = await scheme.check(request, scopes, now);
      if (caller === undefined) return undefined;
      first ??= caller;
      missing.push(...missingScopes(caller, scopes, contract));
    }
    return first && { caller: first, missing };
  }

  /** Sets the caller, and returns whether it may call the operation. */
  function settle(context: RequestContext, alternative: Alternative, found: Found, isOptional: boolean): boolean {
    const isComplete = found.missing.length === 0;
    if (!isComplete && (isOptional || context.key !== undefined)) return false;
    context.key = found.caller;
    context.scopeError = isComplete ? undefined : insufficientScope(found, alternative);
    return isComplete;
  }

  return {
    async authenticate(request, response, next) {
      const required = requiredFor(request.context.route);
      const { alternatives, isOptional } = required;
      const [alternative] = alternatives;
      if (alternative === undefined) return next();
      const [only] = alternative;
      if (only !== undefined && alternatives.length === 1 && alternative.length === 1) {
        // Almost every operation: one scheme, without the steps that several need.
        const caller = await only.scheme.check(request, only.scopes, clock());
        if (caller !== undefined) {
          const missing = missingScopes(caller, only.scopes, contract);
          settle(request.context, alternative, { caller, missing }, isOptional);
        }
      } else await identify(request, required, clock());
      // Node has found the body malformed in the meantime, and client-errors.ts has already responded.
      if (response.headersSent) return;
      next();
    },
    requireCaller(request, _response, next) {
      const { key, scopeError, route } = request.context;
      const { alternatives, isOptional } = requiredFor(route);
      if (key !== undefined) return next(scopeError);
      if (alternatives.length === 0 || isOptional || !isApiPath(request.path, contract)) return next();
      const used = alternatives.flat().filter(({ scheme }) => scheme.isUsed(request));
      if (used.length === 0) return next(missingCredentials(alternatives));
      const otherMode = used
        .map(({ scheme }) =>
          scheme.isKey ? parseSecret(scheme.read(request)?.secret ?? '', contract.keyPrefix) : undefined,
        )
        .find((mode) => mode !== undefined && mode !== keys.mode);
      const isKey = used.every(({ scheme }) => scheme.isKey);
      const message = otherMode === undefined ? incomplete(isKey) : belongsTo(otherMode, keys.mode, contract);
      next(new ApiError('api_key_invalid', message, { headers: challenges(alternatives, ', error="invalid_token"') }));
    },
  };

  function schemeOf(name: string, { verify }: AuthenticationParts): Scheme {
    const scheme = contract.securitySchemes[name];
    if (scheme === undefined) throw new Error(`The contract has no security scheme ${name}.`);
    const reader = readerOf(scheme, realm);
    const verifyOne = Object.hasOwn(verify, name) ? verify[name] : undefined;
    if (verifyOne === undefined || verifyOne === keysInTestMode) {
      return { ...reader, isKey: isKeyScheme(scheme), secretName: 'API_KEY', check: keyCheck(reader, parts) };
    }
    const secretName = scheme.type === 'apiKey' ? 'VALUE' : 'TOKEN';
    return { ...reader, isKey: false, secretName, check: functionCheck(name, verifyOne, reader, parts) };
  }
}

function readerOf(scheme: SecurityScheme, realm: string): SchemeReader {
  if (scheme.type === 'apiKey') return apiKeyReader(scheme, realm);
  if (scheme.type === 'mutualTLS') return certificateReader(realm);
  return scheme.type === 'http' && scheme.scheme === 'basic' ? basicReader(realm) : bearerReader(realm);
}

const bearer = /^Bearer +([^ ]+) *$/i;

/** RFC 6750. */
function bearerReader(realm: string): SchemeReader {
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

/** No key of the service is longer. */
const LONGEST_KEY = 256;

function keyCheck(reader: SchemeReader, { keys }: AuthenticationParts): CallerCheck {
  return (request, _scopes, now) => {
    const secret = reader.read(request)?.secret;
    if (secret === undefined || secret.length > LONGEST_KEY) return undefined;
    return keys.verify(secret, now);
  };
}

/** The scopes of a list that a caller lacks. */
function missingScopes(
  { scope, verified }: CallerRecord,
  needed: readonly string[],
  { scopes }: Pick<Contract, 'scopes'>,
): readonly string[] {
  if (verified !== undefined)
    return verified.scopes === undefined ? [] : needed.filter((one) => !verified.scopes?.includes(one));
  return needed.filter((one) => {
    if (one === scope || (one === 'read' && scope === 'write')) return false;
    const names = scope.split(' ');
    if (names.includes(one) || (one === 'read' && names.includes('write'))) return false;
    // Until keys had other scopes, each had this one or read.
    return !(scope === 'write' && !Object.hasOwn(scopes, 'write'));
  });
}

function isApiPath(path: string, { basePath }: Contract): boolean {
  if (basePath === '') return !isOwnPage(path);
  return path === basePath || path.startsWith(`${basePath}/`);
}

/** One challenge for each scheme, with an error for those that have any (RFC 9110 11.6.1). */
function challenges(alternatives: readonly Alternative[], error?: string): Record<string, string> {
  const all = alternatives.flat().map(({ scheme }) => scheme.challenge(error));
  return { 'WWW-Authenticate': [...new Set(all)].join(', ') };
}

const and = new Intl.ListFormat('en-GB');

/** Names of scopes in a sentence. */
function inWords(names: readonly string[]): string {
  if (names.length === 0) return 'no scope';
  return names.length === 1 ? `the ${names[0]} scope` : `the scopes ${and.format(names)}`;
}

/** RFC 6750 3.1. */
function insufficientScope({ caller, missing }: Found, alternative: Alternative): ApiError {
  const [these, use] =
    caller.verified === undefined ? ['this API key has', 'a key'] : ['these credentials have', 'credentials'];
  const needed = inWords(missing);
  const message = `This operation requires ${needed}, but ${these} ${inWords(caller.scope.split(' ').filter(Boolean))}. Use ${use} with ${needed}.`;
  const scope = alternative.flatMap(({ scopes }) => scopes).join(' ');
  const headers = challenges([alternative], `, error="insufficient_scope", scope="${scope}"`);
  return new ApiError('insufficient_scope', message, { headers });
}

function missingCredentials(alternatives: readonly Alternative[]): ApiError {
  const isKey = alternatives.flat().every(({ scheme }) => scheme.isKey);
  const examples = alternatives.map((alternative) =>
    alternative.map(({ scheme }) => `"${scheme.example(scheme.secretName)}"`).join(' and '),
  );
  const message = `This operation requires ${isKey ? 'an API key. Send it' : 'credentials. Send them'} as ${[...new Set(examples)].join(' or ')}.`;
  return new ApiError('api_key_missing', message, { headers: challenges(alternatives) });
}

/** Unknown, expired and revoked credentials get the same response. */
function incomplete(isKey: boolean): string {
  return isKey
    ? 'The API key is not valid. Check that it is complete and has not expired or been revoked.'
    : 'The credentials are not valid. Check that they are complete and have not expired or been revoked.';
}

/** For a complete key of the other mode, whether or not it exists: its prefix says which server it is for, so this reveals nothing. */
function belongsTo(mode: Mode, here: Mode, { servers, keyPrefix }: Contract): string {
  return `This is a ${mode} key (${keyPrefix}_${mode}_…), but this server accepts ${here} keys only. Send it to ${servers[mode]}, or use a ${here} key (${keyPrefix}_${here}_…).`;
}
