import { operationFacts } from '@animal-store/contract';
import type { Caller, ModelRequest } from '../actions/action.ts';
import { type Expected, refusal } from './expected.ts';
import type { Store } from './store.ts';

export const MINUTE = 60_000;
export const DAY = 86_400_000;

/** The secret that a request uses, and its end: the one before the last rotation if there was one and `isOlder` asks for it. */
export function secretOf(
  { keys }: Store,
  { by, isOlder }: Pick<ModelRequest, 'by' | 'isOlder'>,
): { secret: string; endsAt: number } {
  const { secret, endsAt, older } = keys[by];
  if (isOlder !== true || older === undefined) return { secret, endsAt };
  return { secret: older.secret, endsAt: Math.min(endsAt, older.endsAt) };
}

/** Counts a request of a key. Returns the refusal if the key has ended, or the operation was removed. */
export function refusalOfCaller(store: Store, request: ModelRequest): Expected | undefined {
  if (secretOf(store, request).endsAt <= store.now) return refusal('api_key_invalid');
  const { id, by } = request;
  for (const name of [windowName(store, by, MINUTE), windowName(store, by, DAY)]) {
    store.counts.set(name, (store.counts.get(name) ?? 0) + 1);
  }
  const { deprecation } = operationFacts[id];
  const isRemoved = deprecation !== null && Date.parse(deprecation.sunset) <= store.now;
  return isRemoved ? refusal('operation_removed') : undefined;
}

/** The state of a quota, as callers see it. */
export function windowOf(store: Store, by: Caller, length: number) {
  const { perMinute, perDay } = store.keys[by].limits;
  const limit = length === MINUTE ? perMinute : perDay;
  const remaining = limit - (store.counts.get(windowName(store, by, length)) ?? 0);
  return { limit, remaining, reset: ((Math.floor(store.now / length) + 1) * length) / 1_000 };
}

function windowName({ now }: Store, by: Caller, length: number): string {
  return `${by} ${length} ${Math.floor(now / length)}`;
}
