import { readFileSync } from 'node:fs';
import { createClient, defineScript } from '@redis/client';
import { unused } from '../usage.ts';
import type { Call, Count, Counters } from './counters.ts';

/** Milliseconds until the next try to connect, and at most for each. */
const RECONNECT = 200;
const CONNECT_PATIENCE = 2_000;
/** Milliseconds without a byte, although one is pinged: the connection is as good as gone. */
const SILENCE = 5_000;
const PING_INTERVAL = 1_000;

/** So that several things may live in one Redis. */
const PREFIX = 'animal-store:';

const countRequest = defineScript({
  SCRIPT: readFileSync(new URL('count-request.lua', import.meta.url), 'utf8'),
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, caller: string, call: Call) {
    parser.pushKey(PREFIX + caller);
    parser.push(...argumentsOf(call).map((value) => String(value ?? '')));
  },
  transformReply: (reply: unknown) => readCount(reply),
});

export type RedisCounters = Counters & {
  /** Why there is no connection; undefined when there is one. */
  lastError: () => unknown;
  /** Calls back each time the connection is lost, or cannot be made. */
  onError: (listener: (error: unknown) => void) => void;
  close: () => void;
};

/**
 * Counters in Redis 6 or newer, or Valkey. Resolves when they are connected, or `patience` milliseconds have passed; it goes
 * on trying by itself, and while there is no connection each `count` rejects at once.
 */
export async function connectRedis(url: string, patience: number): Promise<RedisCounters> {
  const client = createClient({
    url,
    scripts: { countRequest },
    // What cannot be sent now is counted by the process itself: sent later it would count twice.
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL,
    maintNotifications: 'disabled',
    socket: { connectTimeout: CONNECT_PATIENCE, socketTimeout: SILENCE, reconnectStrategy: () => RECONNECT },
  });
  let lastError: unknown;
  client.on('error', (error: unknown) => {
    lastError = error;
  });
  client.on('ready', () => {
    lastError = undefined;
  });
  const connecting = client.connect().catch(() => {});
  await Promise.race([connecting, new Promise((resolve) => setTimeout(resolve, patience).unref())]);
  return {
    count: (caller, call) => client.countRequest(caller, call),
    lastError: () => lastError,
    onError: (listener) => void client.on('error', listener),
    close: () => client.destroy(),
  };
}

/** A call in the order in which the script reads it. */
function argumentsOf({ now, perMinute, perDay, known, alone, rules }: Call): (number | undefined)[] {
  const values = [now, perMinute, perDay, ...usageFields.map((field) => known[field]), alone.minute, alone.day];
  return rules === undefined ? values : [...values, ...ruleNames.map((name) => rules[name])];
}

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

/** The script's reply. Somebody else's would be a fault that nobody should take for a verdict. */
function readCount(reply: unknown): Count {
  if (!Array.isArray(reply) || reply.length !== 3 + usageFields.length) throw unexpected(reply);
  const [now, said, banStarted, ...values] = reply;
  const outcome = outcomes.find((candidate) => candidate === String(said));
  if (outcome === undefined) throw unexpected(reply);
  const usage = unused(0);
  for (const [index, field] of usageFields.entries()) usage[field] = integer(values[index]);
  return { now: integer(now), outcome, banStarted: banStarted === 1, usage };
}

function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unexpected(value);
  return value;
}

function unexpected(reply: unknown): Error {
  return new Error(`The shared counters answered ${JSON.stringify(reply)}.`);
}
