import { readFileSync } from 'node:fs';
import { createClient, defineScript } from '@redis/client';
import { argumentsOf, type Call, type RemoteCounters, readCount } from '../quota/counters.ts';

/** Milliseconds between two attempts to connect, and the longest for each. */
const RECONNECT_INTERVAL = 200;
const CONNECT_TIMEOUT = 2_000;
/** Milliseconds without any data, despite pings, after which a connection counts as lost. */
const SOCKET_TIMEOUT = 5_000;
const PING_INTERVAL = 1_000;

/** Separates the keys from those of other programs in the same Redis. */
const PREFIX = 'animal-store:';

const countRequest = defineScript({
  SCRIPT: readFileSync(new URL('count-request.lua', import.meta.url), 'utf8'),
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, callerId: string, call: Call) {
    parser.pushKey(PREFIX + callerId);
    parser.push(...argumentsOf(call).map((value) => String(value ?? '')));
  },
  transformReply: (response: unknown) => readCount(response),
});

/**
 * Counters in Redis 6 or newer, or Valkey. Resolves when connected or after `timeoutMs` milliseconds. The client keeps
 * trying to connect; without a connection, `count` rejects at once.
 */
export async function connectRedis(url: string, timeoutMs: number): Promise<RemoteCounters> {
  const client = createClient({
    url,
    scripts: { countRequest },
    // Without a connection the process counts by itself, so a call that is sent later would count the request twice.
    disableOfflineQueue: true,
    pingInterval: PING_INTERVAL,
    maintNotifications: 'disabled',
    socket: {
      connectTimeout: CONNECT_TIMEOUT,
      socketTimeout: SOCKET_TIMEOUT,
      reconnectStrategy: () => RECONNECT_INTERVAL,
    },
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
    count: (callerId, call) => client.countRequest(callerId, call),
    lastError: () => lastError,
    onAway: (listener) => void client.on('error', listener),
    close: () => client.destroy(),
  };
}
