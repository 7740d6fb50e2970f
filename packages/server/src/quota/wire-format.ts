import type { Call, Count } from './counters.ts';
import { emptyUsage } from './usage.ts';

/** In this order a usage is sent, kept and answered. */
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

/** A call in the order in which counters elsewhere read it. */
export function argumentsOf({ now, perMinute, perDay, known, alone, rules }: Call): (number | undefined)[] {
  const values = [now, perMinute, perDay, ...usageFields.map((field) => known[field]), alone.minute, alone.day];
  return [...values, ...ruleNames.map((name) => rules?.[name])];
}

/** What they response. Somebody else's would be a fault that nobody should take for a verdict. */
export function readCount(response: unknown): Count {
  if (!Array.isArray(response) || response.length !== 3 + usageFields.length) throw unexpected(response);
  const [now, said, banStarted, ...values] = response;
  const outcome = outcomes.find((candidate) => candidate === String(said));
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
  return new Error(`The shared counters answered ${JSON.stringify(response)}.`);
}
