import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createClient, createCluster, createSentinel, defineScript } from '@redis/client';
import { type RedisTarget, readRedisUrl } from '../config/config.ts';
import { argumentsOf, type Call, type Count, type RemoteCounters, readCount } from './counters.ts';

/** Milliseconds between two attempts to connect, and the longest for each. */
const RECONNECT_INTERVAL = 200;
const CONNECT_TIMEOUT = 2_000;
/** Milliseconds without any data, despite pings, after which a connection counts as lost. */
const SOCKET_TIMEOUT = 5_000;
const PING_INTERVAL = 1_000;
/** Milliseconds between two questions to the sentinels, in case their message about a new server is lost. */
const SCAN_INTERVAL = 2_000;

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

/** A client of one server, of the servers behind sentinels, or of a cluster. */
type Client = {
  connect: () => Promise<unknown>;
  countRequest: (key: string, call: Call) => Promise<Count>;
  del: (key: string) => Promise<unknown>;
  destroy: () => unknown;
  isOpen: boolean;
};

/**
 * Counters in Redis 6 or newer, or Valkey. Resolves when connected or after `timeoutMs` milliseconds. The client keeps
 * trying to connect; without a connection, `count` rejects at once.
 * @param service separates the keys from those of other programs in the same Redis
 */
export async function connectRedis(url: string, service: string, timeoutMs: number): Promise<RemoteCounters> {
  const target = readRedisUrl(url);
  if (target === undefined) throw new Error('The URL of Redis is not valid.');
  let lastError: unknown;
  const listeners: ((error: unknown) => void)[] = [];
  const client = openClient(target, {
    onReady: () => {
      lastError = undefined;
    },
    onError: (error) => {
      lastError = error;
    },
    onAway: (error) => {
      for (const listener of listeners) listener(error);
    },
  });
  let isClosed = false;

  /** The clients of sentinels and clusters give up if none of their nodes can be reached at the start. */
  async function keepConnecting(): Promise<void> {
    while (!isClosed && !client.isOpen) {
      await client.connect().catch(async (error: unknown) => {
        lastError = error;
        await setTimeout(RECONNECT_INTERVAL, undefined, { ref: false });
      });
    }
  }

  await Promise.race([keepConnecting(), setTimeout(timeoutMs, undefined, { ref: false })]);
  return {
    name: 'Redis',
    count: (callerId, call) => client.countRequest(`${service}:${callerId}`, call),
    // The next call of each process brings back what was used, as after a loss of data.
    endBan: async (callerId) => void (await client.del(`${service}:${callerId}`)),
    lastError: () => lastError,
    onAway: (listener) => void listeners.push(listener),
    close: () => {
      isClosed = true;
      void Promise.resolve(client.destroy()).catch(() => {});
    },
  };
}

type ClientEvents = {
  onReady: () => void;
  onError: (error: unknown) => void;
  /** The connection to the server that counts is lost. */
  onAway: (error: unknown) => void;
};

function openClient(target: RedisTarget, { onReady, onError, onAway }: ClientEvents): Client {
  if (target.kind === 'server') {
    const client = createClient({ ...options, url: target.url, scripts: { countRequest }, socket });
    return client.on('error', onError).on('error', onAway).on('ready', onReady);
  }
  const { nodes, name, database, tls, username, password } = target;
  const credentials = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
  const nodeSocket = tls ? { ...socket, tls } : socket;
  if (target.kind === 'cluster') {
    const rootNodes = nodes.map(({ host, port }) => ({
      url: `${tls ? 'rediss' : 'redis'}://${hostAndPort(host, port)}`,
    }));
    const defaults = { ...options, ...credentials, socket: nodeSocket };
    // A node that is away concerns only the callers that it counts, so nothing opens the circuit but failed calls.
    const cluster = createCluster({ rootNodes, defaults, scripts: { countRequest } });
    return cluster.on('error', onError).on('node-error', onError).on('node-ready', onReady);
  }
  const sentinel = createSentinel({
    name,
    sentinelRootNodes: nodes,
    scripts: { countRequest },
    nodeClientOptions: { ...options, ...credentials, database, socket: nodeSocket },
    sentinelClientOptions: { socket: nodeSocket },
    scanInterval: SCAN_INTERVAL,
    // All calls share one connection, as with a single server, so that they are answered in order.
    reserveClient: true,
  });
  // During a failover the client repeats calls until it has the new server.
  const away = new Error('The sentinels know no primary server at the moment.');
  sentinel.on('reconnecting', () => onAway(away));
  return sentinel.on('error', onError).on('ready', onReady);
}

function hostAndPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
