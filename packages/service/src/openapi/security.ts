import type { Request } from 'express';
import { type Contract, isKeyScheme, type Mode, type SecurityRequirement, schemesInUse } from '../common/facts.ts';
import type { KeyRecord } from '../storage/storage.ts';

export type VerifiedCaller = {
  /** The stable ID of the caller, such as the subject of a token: 1 to 255 printable characters. Its requests are counted together. */
  readonly id: string;
  /** The scopes that the caller has. The service checks them. If they are left out, the function has checked those that it got. */
  readonly scopes?: readonly string[] | undefined;
  /** The plan by which its requests are counted: one with limits. Default: the first one of the contract. */
  readonly plan?: string | undefined;
  /** Anything else that operations need to know, which they get as `caller.verified`. */
  readonly [more: string]: unknown;
};

/**
 * Verifies the credentials of a request.
 * @param secret the bearer token, or the value of the header
 * @param scopes those that the operation asks for
 * @param context `signal` aborts when the service stops waiting, after 2 seconds
 * @returns the caller; undefined if the credentials are not valid, which is a 401. An error is a 503, and is logged without the secret.
 */
export type Verify = (
  secret: string,
  scopes: readonly string[],
  context: { readonly request: Request; readonly signal: AbortSignal },
) => Promise<VerifiedCaller | undefined> | VerifiedCaller | undefined;

type KeyScheme = { type: 'http' | 'apiKey' };

type Schemes<C extends Contract> = C['securitySchemes'];
type NeedsFunction<C extends Contract> = {
  [Name in keyof Schemes<C>]: Schemes<C>[Name] extends KeyScheme ? never : Name;
}[keyof Schemes<C>];

/** A function for each security scheme that is not `http bearer` or `apiKey`. For these two, a function replaces the keys of the service. */
export type VerifyFunctions<C extends Contract> = {
  readonly [Name in NeedsFunction<C>]: Verify;
} & {
  readonly [Name in Exclude<keyof Schemes<C>, NeedsFunction<C>>]?: Verify;
};

/** The part of a service with these functions: it may be left out if the contract needs none. */
export type VerifyPart<C extends Contract> =
  Record<never, never> extends VerifyFunctions<C> ? { verify?: VerifyFunctions<C> } : { verify: VerifyFunctions<C> };

/**
 * In place of a function that is not written yet: in test mode, a key of the service is valid as the token. A server in live mode does not
 * start with it.
 */
export const keysInTestMode: Verify = () => {
  throw new Error('The service replaces this function.');
};

/** The scheme that a `security` asks for; undefined if it asks for none. */
export type Requirement = { name: string; scopes: readonly string[]; isOptional: boolean };

/** @throws Error if there are several schemes: lint refuses such a contract, but a server may start without it */
export function requirementOf(security: readonly SecurityRequirement[]): Requirement | undefined {
  const [first, ...others] = security.flatMap((requirement) => Object.entries(requirement));
  if (first === undefined) return undefined;
  if (others.length > 0) {
    const names = [first, ...others].map(([name]) => name).join(' and ');
    throw new Error(`An operation asks for ${names}, but the server checks one security scheme. Run: npm run lint`);
  }
  const [name, scopes] = first;
  return { name, scopes, isOptional: security.length > 1 };
}

/** Whether keys of the service are valid for any operation. If they are for none, there are no keys at all. */
export function usesKeys(
  contract: Pick<Contract, 'operations'>,
  verify: Readonly<Record<string, Verify | undefined>> = {},
): boolean {
  const isFunction = (name: string) => Object.hasOwn(verify, name) && verify[name] !== keysInTestMode;
  return schemesInUse(contract).some((name) => !isFunction(name));
}

/** Why these functions cannot serve a contract, in a sentence; undefined if they can. The types exclude it, but Node.js does not check them. */
export function problemOfVerify(
  { securitySchemes }: Pick<Contract, 'securitySchemes'>,
  verify: Readonly<Record<string, Verify | undefined>>,
  mode: Mode,
): string | undefined {
  const extra = Object.keys(verify).find((name) => !Object.hasOwn(securitySchemes, name));
  if (extra !== undefined) return `The contract has no security scheme ${extra}: remove its function from verify.`;
  for (const [name, scheme] of Object.entries(securitySchemes)) {
    const given = Object.hasOwn(verify, name) ? verify[name] : undefined;
    if (given === undefined && !isKeyScheme(scheme)) {
      return `The keys of the service cannot serve the security scheme ${name}: add a function for it to verify.`;
    }
    if (given === keysInTestMode && mode === 'live') {
      return `The security scheme ${name} has keysInTestMode, which a live server does not accept: write its function in verify.`;
    }
  }
  return undefined;
}

/** The caller of a request: an API key, or the caller that a function verified, in the form of a key. */
export type CallerRecord = KeyRecord & {
  /**
   * What the function returned; undefined for a key of the service. The other properties then follow from it: `id` is the name of the scheme
   * and the ID, as in `oauth:user-1`, `scope` has the scopes with spaces between them, and `createdAt` is the time of the request.
   */
  readonly verified?: VerifiedCaller | undefined;
};
