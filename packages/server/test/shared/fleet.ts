import { banRules, plans } from '@animal-store/contract';
import { eventually } from '../../../../scripts/testing/child.ts';
import { startRedis, type TestRedis } from '../../../../scripts/testing/redis.ts';
import { startTcpProxy, type TcpProxy } from '../../../../scripts/testing/tcp-proxy.ts';
import { redisServer } from '../../src/quota/counters-fixture.ts';
import { startTestServer, type TestResponse, type TestServer, temporaryDatabase } from '../harness.ts';
import type { TestPostgres } from '../postgres/server.ts';

/** A server of the fleet, and what a test asks of it. */
export type Ship = TestServer & {
  /** Lists animals with the fleet's key. */
  list: () => Promise<TestResponse>;
  remaining: () => Promise<number>;
  /** What the metrics say of the shared counters. */
  areCountersUp: () => Promise<boolean>;
  /** How often it said in its log that they are away, or back. */
  said: (what: 'away' | 'back') => number;
};

/** Servers on one database and the same counters, each of which has its own way to them. */
export type Fleet = {
  ships: readonly [Ship, Ship];
  proxies: readonly [TcpProxy, TcpProxy];
  /** A key of the free plan. */
  key: string;
  /** One more, that has its own way, too. */
  launch: () => Promise<Ship>;
  /** Resolves when all of them count together again. */
  together: () => Promise<void>;
  /** Ends who counts as a crash does, and starts it again. */
  crash: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export type RedisFleet = Fleet & { redis: TestRedis };

export const { perMinute } = plans.free;

/** Two servers that count together in a Redis; a test stops and cuts what it likes. */
export async function startFleet(): Promise<RedisFleet> {
  const stack = new AsyncDisposableStack();
  const database = await temporaryDatabase();
  stack.defer(database.remove);
  const redis = stack.use(await startRedis(redisServer));
  const crash = async () => {
    await redis.kill();
    await redis.start();
  };
  const fleet = await launchFleet(stack, redis.port, (port) => ({
    databaseUrl: database.url,
    // Patient, so that a machine that is busy with other tests is not taken for counters that are away.
    config: { redisUrl: `redis://127.0.0.1:${port}`, redisTimeout: 1_000 },
  }));
  return { ...fleet, redis, crash };
}

/** Two servers that count together in their PostgreSQL. */
export async function startFleetOn(postgres: TestPostgres): Promise<Fleet> {
  const databaseUrl = new URL(await postgres.freshUrl());
  const crash = async () => {
    await postgres.crash();
    await postgres.start();
  };
  const fleet = await launchFleet(new AsyncDisposableStack(), postgres.port, (port) => {
    databaseUrl.port = String(port);
    return { databaseUrl: databaseUrl.href, config: {} };
  });
  return { ...fleet, crash };
}

/** @param settings how a server finds its data and its counters, when the way to them begins at a port */
async function launchFleet(
  stack: AsyncDisposableStack,
  target: number,
  settings: (port: number) => { databaseUrl: string; config: object },
): Promise<Omit<Fleet, 'crash'>> {
  let key = '';

  async function launch({ port }: { port: number }): Promise<Ship> {
    const { databaseUrl, config } = settings(port);
    const metrics = { host: '127.0.0.1', port: 0 };
    const server = stack.use(await startTestServer({ databaseUrl, config: { ...config, metrics } }));
    const list = () => server.call('listPets', { key });
    return {
      ...server,
      list,
      remaining: async () => remainingIn(await list()),
      areCountersUp: async () => {
        const shown = await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`);
        return (await shown.text()).includes('\nanimal_store_shared_counters_up 1\n');
      },
      said: (what) => server.log().split(`the shared counters are ${what}`).length - 1,
    };
  }

  const proxies = [stack.use(await startTcpProxy(target)), stack.use(await startTcpProxy(target))] as const;
  const ships = [await launch(proxies[0]), await launch(proxies[1])] as const;
  key = await ships[0].createKey('free');

  async function together(): Promise<void> {
    for (const ship of ships) {
      await eventually(ship.areCountersUp, () => `A server does not come back:\n${ship.log()}`);
    }
  }

  return {
    ships,
    proxies,
    key,
    launch: () => launch({ port: target }),
    together,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** How many requests a response says are left. */
export function remainingIn({ headers }: TestResponse): number {
  return Number(headers.get('x-ratelimit-remaining'));
}

/** Uses up the minute of the fleet's key over its servers, and goes on until it is banned. */
export async function provokeBan({ ships }: Pick<Fleet, 'ships'>): Promise<TestResponse> {
  await Promise.all(Array.from({ length: perMinute + 2 }, (_, index) => ships[index % 2 === 0 ? 0 : 1].list()));
  for (const ship of ships) ship.clock.now += banRules.graceSeconds * 1_000;
  for (let refusals = 0; refusals < banRules.toleratedRefusals; refusals += 1)
    await ships[refusals % 2 === 0 ? 0 : 1].list();
  return ships[0].list();
}
