import { randomUUID } from 'node:crypto';
import { banRules, plans } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import { redisServer } from '../../../redis/test/in-tests.ts';
import { systemClock } from '../../../service/src/common/time.ts';
import { createKeyRing } from '../../../service/src/keys/key-ring.ts';
import { eventually } from '../../../testing/src/child.ts';
import { startProxy, type TestProxy } from '../../../testing/src/postgres/proxy.ts';
import type { TestPostgres } from '../../../testing/src/postgres/server.ts';
import { startRedis, type TestRedis } from '../../../testing/src/redis.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { callOperation, startTestServer, type TestResponse, type TestServer, temporaryDatabase } from '../harness.ts';
import { type ServerProcess, startProcess } from '../process.ts';

/** A server of the group. */
export type GroupServer = TestServer & {
  /** Lists pets with the key of the group. */
  list: () => Promise<TestResponse>;
  remaining: () => Promise<number>;
  /** How often the server has logged that they became unavailable, or available again. */
  logged: (what: 'away' | 'back') => number;
};

/** Servers on one database with the same counters, which each of the first two reaches through its own proxy. */
export type ServerGroup = {
  servers: readonly [GroupServer, GroupServer];
  proxies: readonly [TestProxy, TestProxy];
  /** A key of the free plan. */
  key: string;
  /** Starts one more, without a proxy. */
  startServer: () => Promise<GroupServer>;
  /** Resolves once the shared counters are up for all of them. */
  allUp: () => Promise<void>;
  /** Kills the shared counters as a crash does, and starts them again. */
  crashCounters: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** How the servers wait for shared counters: for long, so that a busy machine is not taken for unavailable ones. */
const together = { countersDown: 'count-locally', countersTimeout: 30_000 } as const;
export type Counting = { countersDown: 'count-locally' | 'refuse'; countersTimeout: number };

export type RedisServerGroup = ServerGroup & { redis: TestRedis };

export const { perMinute } = plans.free;

/** What the log says when the shared counters become unavailable, and when they are available again. */
const countingTexts = { away: 'the shared counters do not answer; until', back: 'the shared counters answer again' };

/** Restores the network behind a proxy. The connections end, because bytes may have been dropped. */
export function restore(proxy: TestProxy): void {
  proxy.set({ kind: 'cut' });
  proxy.set({ kind: 'open' });
}

/** Two servers that count together in a separate Redis. */
export async function startServersOnRedis(counting: Partial<Counting> = {}): Promise<RedisServerGroup> {
  const stack = new AsyncDisposableStack();
  const database = await temporaryDatabase();
  stack.defer(database.remove);
  const redis = stack.use(await startRedis(redisServer));
  const crashCounters = async () => {
    await redis.kill();
    await redis.start();
  };
  const group = await startGroup(stack, redis.port, (port) => ({
    databaseUrl: database.url,
    config: { redisUrl: `redis://127.0.0.1:${port}`, ...together, ...counting },
  }));
  return { ...group, redis, crashCounters };
}

/** Two servers that count together in their PostgreSQL. */
export async function startServersOnPostgres(
  postgres: TestPostgres,
  counting: Partial<Counting> = {},
): Promise<ServerGroup> {
  const databaseUrl = new URL(await postgres.freshUrl());
  const crashCounters = async () => {
    await postgres.crash();
    await postgres.start();
  };
  const group = await startGroup(new AsyncDisposableStack(), postgres.port, (port) => {
    databaseUrl.port = String(port);
    return { databaseUrl: databaseUrl.href, config: { ...together, ...counting } };
  });
  return { ...group, crashCounters };
}

/** @param settings returns the settings of a server that reaches its data and counters on a port */
async function startGroup(
  stack: AsyncDisposableStack,
  target: number,
  settings: (port: number) => { databaseUrl: string; config: object },
): Promise<Omit<ServerGroup, 'crashCounters'>> {
  let key = '';

  async function startServer({ port }: { port: number }): Promise<GroupServer> {
    const { databaseUrl, config } = settings(port);
    const server = stack.use(await startTestServer({ databaseUrl, config }));
    const list = () => server.call('listPets', { key });
    return {
      ...server,
      list,
      remaining: async () => remainingIn(await list()),
      logged: (what) => server.log().split(countingTexts[what]).length - 1,
    };
  }

  const openProxy = async () => stack.adopt(await startProxy(target), (proxy) => proxy.stop());
  const proxies = [await openProxy(), await openProxy()] as const;
  const servers = [await startServer(proxies[0]), await startServer(proxies[1])] as const;
  key = await servers[0].createKey('free');

  async function allUp(): Promise<void> {
    for (const server of servers) {
      // One request a second asks counters that were away; this one counts for no key.
      const isUp = async () => {
        await fetch(`${server.url}/v1/pets`);
        return server.logged('back') === server.logged('away');
      };
      await eventually(isUp, () => `The shared counters stay away:\n${server.log()}`);
    }
  }

  return {
    servers,
    proxies,
    key,
    startServer: () => startServer({ port: target }),
    allUp,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The number of requests that a response reports as left. */
export function remainingIn({ headers }: TestResponse): number {
  return Number(headers.get('x-ratelimit-remaining'));
}

/** Uses up the minute of the group's key over its servers, and continues until the key is banned. */
export async function provokeBan({ servers }: Pick<ServerGroup, 'servers'>): Promise<TestResponse> {
  await Promise.all(Array.from({ length: perMinute + 2 }, (_, index) => servers[index % 2 === 0 ? 0 : 1].list()));
  for (const server of servers) server.clock.now += banRules.graceSeconds * 1_000;
  for (let refusals = 0; refusals < banRules.toleratedRefusals; refusals += 1)
    await servers[refusals % 2 === 0 ? 0 : 1].list();
  return servers[0].list();
}

/** The result of one creation: its response, or why there is none. */
export type Outcome = { key: string; name: string } & Ending;

/** `lost` if the connection broke, so that the outcome is unknown; `refused` if nothing listens on the port. */
type Ending = { kind: 'response'; response: TestResponse } | { kind: 'lost' | 'refused' };

export type Host = {
  databaseUrl: string;
  /** Creates a key with this quota per day and per minute. */
  createKey: (perDay: number) => Promise<string>;
  start: (environment: Record<string, string>) => Promise<ServerProcess>;
  /** Names by ID of all pets in the database. */
  pets: () => Promise<Map<number, string>>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** A database for several processes, which are killed after the test: a new file, unless a URL is given. */
export async function createHost(databaseUrl?: string): Promise<Host> {
  const database = databaseUrl === undefined ? await temporaryDatabase() : { url: databaseUrl, remove: async () => {} };
  const storage = await openStorage(database.url);
  const keys = createKeyRing(storage.keys, contract, systemClock, 'test');
  const running: ServerProcess[] = [];
  return {
    databaseUrl: database.url,
    createKey: async (perDay) => (await keys.create({ plan: 'enterprise', perMinute: perDay, perDay })).secret,
    async start(environment) {
      // Logs every request, which shows the process that answered it.
      const server = await startProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'info', ...environment });
      running.push(server);
      return server;
    },
    async pets() {
      const pets = new Map<number, string>();
      for (let after: number | undefined, full = true; full; ) {
        const page = await storage.reader.listPets({ limit: 1_000, after });
        for (const { id, name } of page) pets.set(id, name);
        after = page.at(-1)?.id;
        full = page.length === 1_000;
      }
      return pets;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((server) => server.end('SIGKILL')));
      await storage.close();
      await database.remove();
    },
  };
}

export type ConcurrentParts = {
  /** The servers, to which each client sends in turn. */
  urls: readonly string[];
  keys: readonly string[];
  /** The number of requests that each client sends, one after another, each with the next key. */
  each: number;
  onResponse?: (count: number) => void;
};

const CLIENTS = 200;

/** Creates pets with 200 concurrent clients, each pet under a unique name. */
export async function createConcurrently({ urls, keys, each, onResponse }: ConcurrentParts): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const prefix = randomUUID();
  const client = async (number: number) => {
    for (let turn = 0; turn < each; turn += 1) {
      const key = keys[(number + turn) % keys.length] ?? '';
      const name = `${prefix}-${number}-${turn}`;
      const url = urls[(number + turn) % urls.length] ?? '';
      outcomes.push({ key, name, ...(await create(url, key, name)) });
      onResponse?.(outcomes.length);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return outcomes;
}

function create(url: string, key: string, name: string): Promise<Ending> {
  return callOperation(url, key, 'createPet', { body: { name, categoryId: 1 } }).then(
    (response) => ({ kind: 'response', response }),
    (error) => ({ kind: error.cause?.code === 'ECONNREFUSED' ? 'refused' : 'lost' }),
  );
}

/** The IDs of the processes that answered requests according to the log, only those with an error code if one is given. */
export function processesIn(output: string, code?: string): number[] {
  const pids = output.split('\n').flatMap((line) => {
    const pid = /"pid":(\d+).*"requestId"/.exec(line)?.[1];
    return pid === undefined || (code !== undefined && !line.includes(`"code":"${code}"`)) ? [] : [Number(pid)];
  });
  return [...new Set(pids)];
}
