import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createClient, defineScript } from '@redis/client';
import { argumentsOf, type Call, type RemoteCounters, readCount } from './counters.ts';

/** Milliseconds between two attempts to connect, and the longest for each. */
const RECONNECT_INTERVAL = 200;
const CONNECT_TIMEOUT = 2_000;
/** Milliseconds without any data, despite pings, after which a connection counts as lost. */
const SOCKET_TIMEOUT = 5_000;
const PING_INTERVAL = 1_000;

const countRequest = defineScript({
  SCRIPT: readFileSync(new URL('count-request.lua', import.meta.url), 'utf8'),
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, call: Call) {
    parser.pushKey(key);
    const { minuteUsed, dayUsed } = call.certain ?? call.localUsage;
    parser.push(...[...argumentsOf(call), minuteUsed, dayUsed].map((value) => String(value ?? '')));
  },
  transformReply: (response: unknown) => readCount(response),
});

const socket = {
  connectTimeout: CONNECT_TIMEOUT,
  socketTimeout: SOCKET_TIMEOUT,
  reconnectStrategy: () => RECONNECT_INTERVAL,
};

const options = {
  // Without a connection the process counts by itself, so a call that is sent later would count the request twice.
  disableOfflineQueue: true,
  pingInterval: PING_INTERVAL,
  maintNotifications: 'disabled',
} as const;

/**
 * Counters in Redis 6 or newer, or Valkey. Resolves when connected or after `timeoutMs` milliseconds. The client keeps
 * trying to connect; without a connection, `count` rejects at once.
 * @param service separates the keys from those of other programs in the same Redis
 */
export async function connectRedis(url: string, service: string, timeoutMs: number): Promise<RemoteCounters> {
  let lastError: unknown;
  const listeners: ((error: unknown) => void)[] = [];
  const client = createClient({ ...options, url, scripts: { countRequest }, socket })
    .on('error', (error) => {
      lastError = error;
      for (const listener of listeners) listener(error);
    })
    .on('ready', () => {
      lastError = undefined;
    });
  // Rejects only if the client is destroyed: until then it tries again.
  const connected = client.connect().catch(() => {});
  await Promise.race([connected, setTimeout(timeoutMs, undefined, { ref: false })]);
  return {
    name: 'Redis',
    count: (callerId, call) => client.countRequest(`${service}:${callerId}`, call),
    // The next call of each process brings back what was used, as after a loss of data.
    endBan: async (callerId) => void (await client.del(`${service}:${callerId}`)),
    lastError: () => lastError,
    onAway: (listener) => void listeners.push(listener),
    close: () => client.destroy(),
  };
}
