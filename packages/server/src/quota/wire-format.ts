import type { Call, Count } from './counters.ts';
import { emptyUsage } from './usage.ts';

/** The order in which a usage is sent, stored and returned. */
const usageFields = [
  'minute',
  'minuteUsed',
  'day',
  'dayUsed',
  'bans',
  'bannedUntil',
  'refusedWindow',
  'firstRefusedAt',
  'refusals',
] as const;

const ruleNames = [
  'graceSeconds',
  'toleratedRefusals',
  'firstSeconds',
  'factor',
  'maximumSeconds',
  'forgetAfterSeconds',
] as const;

const outcomes = ['allowed', 'limited', 'banned'] as const;

/** The numbers of a call, in the order in which Redis and PostgreSQL read them. */
export function argumentsOf({ now, perMinute, perDay, localUsage, unsynced, rules }: Call): (number | undefined)[] {
  const usage = usageFields.map((field) => localUsage[field]);
  const values = [now, perMinute, perDay, ...usage, unsynced.minute, unsynced.day];
  return [...values, ...ruleNames.map((name) => rules?.[name])];
}

/**
 * Reads the response of Redis or PostgreSQL.
 *
 * @throws Error if its format is unexpected, so that a faulty response never becomes a verdict
 */
export function readCount(response: unknown): Count {
  if (!Array.isArray(response) || response.length !== 3 + usageFields.length) throw unexpected(response);
  const [now, name, banStarted, ...values] = response;
  const outcome = outcomes.find((candidate) => candidate === String(name));
  if (outcome === undefined) throw unexpected(response);
  const usage = emptyUsage(0);
  for (const [index, field] of usageFields.entries()) usage[field] = integer(values[index]);
  return { now: integer(now), outcome, banStarted: banStarted === 1, usage };
}

function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unexpected(value);
  return value;
}

function unexpected(response: unknown): Error {
  return new Error(`The shared counters returned ${JSON.stringify(response)}.`);
}
