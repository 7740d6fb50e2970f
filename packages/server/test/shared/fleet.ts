import { banRules, plans } from '@animal-store/contract';
import { eventually } from '../../../../scripts/testing/child.ts';
import { startRedis, type TestRedis } from '../../../../scripts/testing/redis.ts';
import { startTcpProxy, type TcpProxy } from '../../../../scripts/testing/tcp-proxy.ts';
import { redisServer } from '../../src/limits/shared/counters-fixture.ts';
import { startTestServer, type TestReply, type TestServer, temporaryDatabase } from '../harness.ts';

/** A server of the fleet, and what a test asks of it. */
export type Ship = TestServer & {
  /** Lists animals with the fleet's key. */
  list: () => Promise<TestReply>;
  remaining: () => Promise<number>;
  /** What the metrics say of the shared counters. */
  areCountersUp: () => Promise<boolean>;
  /** How often it said in its log that they are away, or back. */
  said: (what: 'away' | 'back') => number;
};

/** Servers on one database and one Redis, each of which has its own way to it. */
export type Fleet = {
  redis: TestRedis;
  ships: readonly [Ship, Ship];
  proxies: readonly [TcpProxy, TcpProxy];
  /** A key of the free plan. */
  key: string;
  /** One more, that has its own way, too. */
  launch: () => Promise<Ship>;
  /** Resolves when all of them count together again. */
  together: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export const { perMinute } = plans.free;

/** Two servers that count together; a test stops and cuts what it likes. */
export async function startFleet(): Promise<Fleet> {
  const stack = new AsyncDisposableStack();
  const database = await temporaryDatabase();
  stack.defer(database.remove);
  const redis = stack.use(await startRedis(redisServer));
  let key = '';

  async function launch(way: string): Promise<Ship> {
    // Patient, so that a machine that is busy with other tests is not taken for counters that are away.
    const config = { redisUrl: way, redisTimeout: 1_000, metrics: { host: '127.0.0.1', port: 0 } };
    const server = stack.use(await startTestServer({ databaseUrl: database.url, config }));
    const list = () => server.call('listPets', { key });
    return {
      ...server,
      list,
      remaining: async () => Number((await list()).headers.get('x-ratelimit-remaining')),
      areCountersUp: async () => {
        const metrics = await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`);
        return (await metrics.text()).includes('\nanimal_store_shared_counters_up 1\n');
      },
      said: (what) => server.log().split(`the shared counters are ${what}`).length - 1,
    };
  }

  const proxies = [stack.use(await startTcpProxy(redis.port)), stack.use(await startTcpProxy(redis.port))] as const;
  const ships = [await launch(urlOf(proxies[0])), await launch(urlOf(proxies[1]))] as const;
  key = await ships[0].createKey('free');

  async function together(): Promise<void> {
    for (const ship of ships) {
      await eventually(ship.areCountersUp, () => `A server does not come back:\n${ship.log()}`);
    }
  }

  return {
    redis,
    ships,
    proxies,
    key,
    launch: () => launch(redis.url),
    together,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export function urlOf({ port }: { port: number }): string {
  return `redis://127.0.0.1:${port}`;
}

/** Uses up the minute of the fleet's key over its servers, and goes on until it is banned. */
export async function provokeBan({ ships }: Fleet): Promise<TestReply> {
  await Promise.all(Array.from({ length: perMinute + 2 }, (_, index) => ships[index % 2 === 0 ? 0 : 1].list()));
  for (const ship of ships) ship.clock.now += banRules.graceSeconds * 1_000;
  for (let refusals = 0; refusals < banRules.toleratedRefusals; refusals += 1)
    await ships[refusals % 2 === 0 ? 0 : 1].list();
  return ships[0].list();
}
