import type { Request } from 'express';
import { type Contract, firstPlan } from '../common/facts.ts';
import { withTimeout } from '../common/time.ts';
import { unprintable } from '../keys/new-key.ts';
import { ApiError } from '../openapi/api-error.ts';
import type { CallerRecord, VerifiedCaller, Verify } from '../openapi/security.ts';

/** Milliseconds for which a request waits for a function: as long as it waits for the storage. */
const VERIFY_TIMEOUT = 2_000;

type Verification = {
  request: Request;
  secret: string;
  scopes: readonly string[];
  now: number;
  contract: Contract;
};

/** @throws ApiError `service_unavailable` if the function fails, or takes too long */
export async function verifiedCaller(
  name: string,
  verify: Verify,
  { request, secret, scopes, now, contract }: Verification,
): Promise<CallerRecord | undefined> {
  const stopped = new AbortController();
  let verified: VerifiedCaller | undefined;
  try {
    // The function may throw before it returns a promise.
    const verifying = (async () => verify(secret, scopes, { request, signal: stopped.signal }))();
    verified = await withTimeout(verifying, VERIFY_TIMEOUT);
  } catch (error) {
    throw notVerified(name, error, secret);
  } finally {
    stopped.abort();
  }
  return verified && recordOf(name, verified, now, contract);
}

/** 503: the caller can try again. The log gets the reason, without the secret that the caller sent. */
function notVerified(name: string, error: unknown, secret: string): ApiError {
  const { message, cause, stack = '' } = error instanceof Error ? error : new Error(String(error));
  const because = cause instanceof Error ? ` Cause: ${cause.message}` : '';
  const logged = new Error(`The function verify.${name} failed. ${message}${because}`.replaceAll(secret, '…'));
  logged.stack = stack.replaceAll(secret, '…');
  const text = 'Your credentials cannot be verified at the moment. Nothing was changed. Try again in 2 seconds.';
  return new ApiError('service_unavailable', text, { headers: { 'Retry-After': '2' }, cause: logged });
}

/** @throws Error if the function returned what it must not */
function recordOf(scheme: string, verified: VerifiedCaller, now: number, { plans }: Contract): CallerRecord {
  const { id, scopes = [], plan = firstPlan(plans) ?? '' } = verified;
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
