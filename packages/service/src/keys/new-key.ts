import { type Contract, hasPlans, type Plan } from '../common/facts.ts';
import { planNameOf } from '../rate-limit/limiter.ts';
import type { KeyRecord } from '../storage/storage.ts';

export type NewKey = {
  plan?: string | undefined;
  /** The scopes with spaces between them. Default: all of the contract; `write` includes `read`. */
  scope?: string | undefined;
  /** A name for people, of 1 to 100 characters. */
  name?: string | undefined;
  /** Limits in requests: both are required for a plan without its own limits, and neither is allowed for any other. */
  perMinute?: number | undefined;
  perDay?: number | undefined;
  expiresIn?: number | undefined;
};

export type KeyChange = Partial<Pick<NewKey, 'plan' | 'scope' | 'name' | 'perMinute' | 'perDay'>>;

type Plans = Contract['plans'];

/** A key cannot be created or changed. The message says what is wrong, and how to fix it on the command line. */
export class KeyError extends Error {
  override name = 'KeyError';
}

/** Among the scopes of keys, `write` includes `read`. */
export function allScopes({ scopes }: Pick<Contract, 'scopes'>): string {
  return normalizeScopes(Object.keys(scopes)) || 'write';
}

/** The text that is stored for scopes: their names with spaces between them, without `read` if there is `write`. */
export function normalizeScopes(names: readonly string[]): string {
  return names.filter((name) => name !== 'read' || !names.includes('write')).join(' ');
}

/** A hundred years in milliseconds; a key for longer needs no end. */
const LONGEST = 36_500 * 86_400_000;

const NAME_LENGTH = 100;

/** Control characters, line and paragraph separators, direction marks, and lone surrogates. */
export const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;

/** @throws KeyError that names the first problem */
export function checkNewKey({ plan, name, perMinute, perDay, expiresIn }: NewKey, plans: Plans): void {
  if (name !== undefined) checkName(name);
  if (hasPlans({ plans })) checkLimits(planOf(plan, plans), perMinute, perDay);
  else checkNoPlan(plan, perMinute, perDay);
  if (expiresIn === undefined) return;
  if (expiresIn <= 0) throw new KeyError('The lifetime of a key must be longer than 0. Change the duration.');
  checkDuration(expiresIn);
}

/** A key after a change. It keeps its own limits only on a plan without limits. @throws KeyError if it is not valid */
export function changedKey(key: KeyRecord, change: KeyChange, plans: Plans): KeyRecord {
  const { scope = key.scope, name = key.name } = change;
  if (!hasPlans({ plans })) {
    checkNewKey({ ...change, name }, plans);
    return { ...key, scope, name };
  }
  const { plan = planNameOf(key, plans) } = change;
  const own = 'custom' in planOf(plan, plans) ? key : undefined;
  const { perMinute = own?.perMinute, perDay = own?.perDay } = change;
  checkNewKey({ plan, name, perMinute, perDay }, plans);
  return { ...key, plan, scope, name, perMinute, perDay };
}

/** @throws KeyError unless it is a whole number of milliseconds from 0 to a hundred years */
export function checkDuration(duration: number): void {
  if (Number.isSafeInteger(duration) && duration >= 0 && duration <= LONGEST) return;
  throw new KeyError('A duration must be between 0 and 36500 days. Change the duration.');
}

/** @throws KeyError unless it is printable and has 1 to 100 characters */
function checkName(name: string): void {
  if (name.trim() === '' || [...name].length > NAME_LENGTH) {
    throw new KeyError(`A name must have 1 to ${NAME_LENGTH} characters. Change --name.`);
  }
  if (unprintable.test(name)) throw new KeyError('A name must not contain control characters. Change --name.');
}

function planOf(name: string | undefined, plans: Plans): Plan {
  if (name === undefined) {
    throw new KeyError(`A key needs a plan. The plans are ${Object.keys(plans).join(', ')}. Add --plan.`);
  }
  const plan = Object.hasOwn(plans, name) ? plans[name] : undefined;
  if (plan !== undefined) return plan;
  throw new KeyError(`There is no plan ${name}. The plans are ${Object.keys(plans).join(', ')}. Change --plan.`);
}

function checkNoPlan(...given: (string | number | undefined)[]): void {
  if (given.every((value) => value === undefined)) return;
  throw new KeyError('This API has no plans, so a key has neither a plan nor limits. Omit --per-minute and --per-day.');
}

function checkLimits(plan: Plan, perMinute: number | undefined, perDay: number | undefined): void {
  const { title } = plan;
  if (!('custom' in plan)) {
    if (perMinute === undefined && perDay === undefined) return;
    throw new KeyError(`The limits of the ${title} plan are fixed. Omit --per-minute and --per-day.`);
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new KeyError(
      `The ${title} plan needs a limit per minute and a limit per day. Add --per-minute N --per-day N.`,
    );
  }
  if (!isLimit(perMinute) || !isLimit(perDay)) {
    throw new KeyError(
      `A limit must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}. Change --per-minute or --per-day.`,
    );
  }
  if (perDay < perMinute) {
    throw new KeyError(
      'The limit per day must not be smaller than the limit per minute. Change --per-minute or --per-day.',
    );
  }
}

function isLimit(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
