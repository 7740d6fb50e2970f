import { readFileSync } from 'node:fs';
import { createClient, defineScript } from '@redis/client';
import type { Call, RemoteCounters } from '../quota/counters.ts';
import { argumentsOf, readCount } from '../quota/wire-format.ts';

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
  transformReply: (response: unknown) => readCount(response),
});

/**
 * Counters in Redis 6 or newer, or Valkey. Resolves when they are connected, or `timeoutMs` milliseconds have passed; it goes
 * on trying by itself, and while there is no connection each `count` rejects at once.
 */
export async function connectRedis(url: string, timeoutMs: number): Promise<RemoteCounters> {
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
  await Promise.race([connecting, new Promise((resolve) => setTimeout(resolve, timeoutMs).unref())]);
  return {
    count: (caller, call) => client.countRequest(caller, call),
    lastError: () => lastError,
    onAway: (listener) => void client.on('error', listener),
    close: () => client.destroy(),
  };
}
