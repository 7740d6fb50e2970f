import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { argumentsOf, readCount, type SharedCounters, type SharedRequest } from '@contract-first/service';
import { createClient, defineScript } from '@redis/client';

/** Milliseconds between two attempts to connect, and the longest for each. */
const RECONNECT_INTERVAL = 200;
const CONNECT_TIMEOUT = 2_000;
/** Milliseconds without any data, despite pings, after which a connection counts as lost. */
const SOCKET_TIMEOUT = 5_000;
const PING_INTERVAL = 1_000;
/** Milliseconds that the start of a server waits for a connection. */
const START_TIMEOUT = 1_000;

const countRequest = defineScript({
  SCRIPT: readFileSync(new URL('count-request.lua', import.meta.url), 'utf8'),
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, request: SharedRequest) {
    parser.pushKey(key);
    parser.push(...argumentsOf(request).map((value) => String(value ?? '')));
  },
  transformReply: (response: unknown) => readCount(response),
});

const options = {
  // A request that is sent later would be counted too late.
  disableOfflineQueue: true,
  pingInterval: PING_INTERVAL,
  maintNotifications: 'disabled',
  socket: {
    connectTimeout: CONNECT_TIMEOUT,
    socketTimeout: SOCKET_TIMEOUT,
    reconnectStrategy: () => RECONNECT_INTERVAL,
  },
} as const;

/**
 * Counters in Redis 6 or newer, or Valkey, for `counters` of `createService`. The client keeps trying to connect; without a connection,
 * `count` rejects at once.
 * @param service separates the keys from those of other programs in the same Redis
 */
export async function openRedisCounters(url: string, service: string): Promise<SharedCounters> {
  let reason: unknown;
  const client = createClient({ ...options, url, scripts: { countRequest } })
    .on('error', (error) => {
      reason = error;
    })
    .on('ready', () => {
      reason = undefined;
    });
  // Rejects only if the client is destroyed: until then it tries again.
  const connected = client.connect().catch(() => {});
  await Promise.race([connected, setTimeout(START_TIMEOUT, undefined, { ref: false })]);
  // Why there is no connection says more than that there is none.
  const explained = <T>(call: Promise<T>) => call.catch((error: unknown) => Promise.reject(reason ?? error));
  return {
    count: (request) => explained(client.countRequest(`${service}:${request.caller}`, request)),
    // The next request of a process that does not know yet brings the ban back.
    endBan: async (caller) => void (await explained(client.del(`${service}:${caller}`))),
    close: () => client.destroy(),
  };
}
