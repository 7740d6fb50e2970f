import { dig, entriesOf } from '../../lint/redocly.ts';
import type { Change } from '../change.ts';
import { toPointer } from '../pointer.ts';
import type { Documents } from './documents.ts';

/** Which way a limit may not go. One that is not listed may not change at all. */
const harmfulWay: Readonly<Record<string, 'lower' | 'higher'>> = {
  perMinute: 'lower',
  perDay: 'lower',
  graceSeconds: 'lower',
  toleratedRefusals: 'lower',
  firstSeconds: 'higher',
  factor: 'higher',
  maximumSeconds: 'higher',
  forgetAfterSeconds: 'higher',
  bodyBytes: 'lower',
  idempotencySeconds: 'lower',
};

/** Plans, bans and sizes stand in extensions, which `redocly diff` does not rate. */
export function limitChanges({ released, current }: Documents): Change[] {
  return ['x-rate-limits', 'x-limits'].flatMap((name) => compare([name], dig(released, name), dig(current, name)));
}

function compare(path: readonly string[], before: unknown, after: unknown): Change[] {
  const at = toPointer(path);
  if (before === after || path.at(-1) === 'title') return [];
  if (after === undefined) return [{ ...lowered, says: 'Limit was removed.', at, isGone: true }];
  if (before === undefined) return [{ ...raised, says: 'Limit was added.', at }];
  if (isObject(before) && isObject(after)) {
    const names = new Set([...entriesOf(before), ...entriesOf(after)].map(([name]) => name));
    return [...names].flatMap((name) => compare([...path, name], dig(before, name), dig(after, name)));
  }
  const isHarmful = wayOf(before, after) !== opposite(harmfulWay[path.at(-1) ?? '']);
  const says = `Limit changed from ${JSON.stringify(before)} to ${JSON.stringify(after)}.`;
  return [{ ...(isHarmful ? lowered : raised), says, at }];
}

const lowered = { impact: 'major', rule: 'limit-lowered', isGone: false } as const;
const raised = { impact: 'minor', rule: '', isGone: false } as const;

function wayOf(before: unknown, after: unknown): 'lower' | 'higher' | 'unknown' {
  if (typeof before !== 'number' || typeof after !== 'number') return 'unknown';
  return after < before ? 'lower' : 'higher';
}

function opposite(way: 'lower' | 'higher' | undefined): 'lower' | 'higher' | undefined {
  if (way === undefined) return undefined;
  return way === 'lower' ? 'higher' : 'lower';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
