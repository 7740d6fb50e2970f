import { readFileSync } from 'node:fs';
import { createClient, defineScript } from '@redis/client';
import type { Usage } from '../usage.ts';
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
    parser.push(JSON.stringify(call));
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

const outcomes = ['allowed', 'limited', 'banned'] as const;

/** The script's reply. Somebody else's would be a fault that nobody should take for a verdict. */
function readCount(reply: unknown): Count {
  const { now, outcome, banStarted, usage } = JSON.parse(String(reply));
  const known = outcomes.find((candidate) => candidate === outcome);
  if (known === undefined || typeof banStarted !== 'boolean') throw unexpected(reply);
  return { now: integer(now), outcome: known, banStarted, usage: readUsage(usage) };
}

function readUsage(usage: Record<keyof Usage, unknown>): Usage {
  return {
    minute: integer(usage.minute),
    minuteUsed: integer(usage.minuteUsed),
    day: integer(usage.day),
    dayUsed: integer(usage.dayUsed),
    bans: integer(usage.bans),
    bannedUntil: integer(usage.bannedUntil),
    refusedWindow: integer(usage.refusedWindow),
    firstRefusedAt: integer(usage.firstRefusedAt),
    refusals: integer(usage.refusals),
  };
}

function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unexpected(value);
  return value;
}

function unexpected(reply: unknown): Error {
  return new Error(`The shared counters answered ${JSON.stringify(reply)}.`);
}
