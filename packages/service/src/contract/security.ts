/** Who may call an operation: the types of a contract's security schemes, and of the functions that verify credentials. */
import type { X509Certificate } from 'node:crypto';
import type { Request } from 'express';
import { type Contract, isKeyScheme, type Mode, schemesInUse } from '../common/contract.ts';
import type { KeyRecord } from '../storage/storage.ts';

/** What a function returns for credentials that it accepts. */
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

/** The credentials of a request, by the kind of their security scheme. */
export type Credentials<Scheme> = Scheme extends { type: 'http'; scheme: 'basic' }
  ? { readonly username: string; readonly password: string }
  : Scheme extends { type: 'apiKey' }
    ? { readonly value: string }
    : Scheme extends { type: 'mutualTLS' }
      ? { readonly certificate: X509Certificate }
      : { readonly token: string };

/**
 * Verifies the credentials of a request.
 *
 * @param scopes those that the operation asks for
 * @param context `signal` aborts when the service stops waiting, after 2 seconds
 * @returns the caller; undefined if the credentials are not valid, which is a 401. An error is a 503, and is logged without the credentials.
 */
export type Verify<Given> = {
  verify(
    credentials: Given,
    scopes: readonly string[],
    context: VerifyContext,
  ): Promise<VerifiedCaller | undefined> | VerifiedCaller | undefined;
}['verify'];

export type VerifyContext = { readonly request: Request; readonly signal: AbortSignal };

/** Of any scheme, as the service calls it. The type of the credentials follows from the scheme. */
export type AnyVerify = Verify<unknown>;

/** The schemes that the keys of the service can serve. */
type KeyScheme = { type: 'http'; scheme: 'bearer' } | { type: 'apiKey'; in: 'header' };

type Schemes<C extends Contract> = C['securitySchemes'];
type NeedsFunction<C extends Contract> = {
  [Name in keyof Schemes<C>]: Schemes<C>[Name] extends KeyScheme ? never : Name;
}[keyof Schemes<C>];

/**
 * A function for each security scheme that the keys of the service cannot serve: all but `http bearer` and `apiKey` in a header. For these
 * two, a function replaces the keys.
 */
export type VerifyFunctions<C extends Contract> = {
  readonly [Name in NeedsFunction<C>]: Verify<Credentials<Schemes<C>[Name]>>;
} & {
  readonly [Name in Exclude<keyof Schemes<C>, NeedsFunction<C>>]?: Verify<Credentials<Schemes<C>[Name]>>;
};

/** The part of a service with these functions: it may be left out if the contract needs none. */
export type VerifyPart<C extends Contract> =
  Record<never, never> extends VerifyFunctions<C> ? { verify?: VerifyFunctions<C> } : { verify: VerifyFunctions<C> };

/**
 * In place of a function that is not written yet: in test mode, a key of the service is valid as the token, password, cookie or value.
 * A server in live mode does not start with it.
 */
export const keysInTestMode: Verify<unknown> = () => {
  throw new Error('The service replaces this function.');
};

/** Whether keys of the service are valid for any operation. If they are for none, there are no keys at all. */
export function usesKeys(
  contract: Pick<Contract, 'operations'>,
  verify: Readonly<Record<string, AnyVerify | undefined>> = {},
): boolean {
  const isFunction = (name: string) => Object.hasOwn(verify, name) && verify[name] !== keysInTestMode;
  return schemesInUse(contract).some((name) => !isFunction(name));
}

/** Why these functions cannot serve a contract, in a sentence; undefined if they can. The types exclude it, but Node.js does not check them. */
export function problemOfVerify(
  { securitySchemes }: Pick<Contract, 'securitySchemes'>,
  verify: Readonly<Record<string, AnyVerify | undefined>>,
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
