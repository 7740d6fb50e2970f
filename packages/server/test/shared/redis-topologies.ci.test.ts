import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plans } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { createClient } from '@redis/client';
import { readConfig } from '../../../service/src/config/config.ts';
import { describeRedis, redisServer } from '../../../service/src/rate-limit/counters-fixture.ts';
import { eventually } from '../../../testing/src/child.ts';
import { freePort } from '../../../testing/src/free-port.ts';
import { startRedis } from '../../../testing/src/redis.ts';
import { startTestServer, type TestServer, temporaryDatabase } from '../harness.ts';
import { remainingIn } from './server-group.ts';

const { perMinute } = plans.free;

/** Servers on one database that count together in the Redis of a URL, and a key of the free plan. */
async function startServers(
  stack: AsyncDisposableStack,
  count: number,
  config: { redisUrl: string; redisTimeout?: number },
) {
  const database = await temporaryDatabase();
  stack.defer(database.remove);
  const servers: TestServer[] = [];
  for (let index = 0; index < count; index += 1) {
    servers.push(stack.use(await startTestServer({ databaseUrl: database.url, config })));
  }
  const key = (await servers[0]?.createKey('free')) ?? '';
  const list = (index: number) => {
    const server = servers[index % count];
    if (server === undefined) throw new Error('There is no such server.');
    return server.call('listPets', { key });
  };
  /** Sends simultaneous requests, spread over the servers. Returns how many are allowed. */
  const allowedOf = async (requests: number) => {
    const responses = await Promise.all(Array.from({ length: requests }, (_, index) => list(index)));
    return responses.filter(({ status }) => status === 200).length;
  };
  return { servers, list, allowedOf };
}

async function command(port: number, ...words: string[]): Promise<unknown> {
  const client = await createClient({ url: `redis://127.0.0.1:${port}` }).connect();
  try {
    return await client.sendCommand(words);
  } finally {
    client.destroy();
  }
}

describeRedis('four servers on one Redis', () => {
  // Four times as slow as in production, so that a busy machine is not taken for a slow Redis.
  const redisTimeout = readConfig({}).redisTimeout * 4;
  const stall = 150 * 4;

  test('that have just started allow exactly the quota, even while Redis stalls for 150 ms', async () => {
    await using stack = new AsyncDisposableStack();
    const redis = stack.use(await startRedis(redisServer));
    const { servers, allowedOf } = await startServers(stack, 4, { redisUrl: redis.url, redisTimeout });
    expect(await allowedOf(100)).toBe(perMinute);
    for (const server of servers) server.clock.now += 60_000;
    await command(redis.port, 'CLIENT', 'PAUSE', String(stall), 'ALL');
    expect(await allowedOf(300)).toBe(perMinute);
    expect(servers.map((server) => server.log()).join('')).not.toContain('Redis cannot count requests');
  }, 60_000);
});

describeRedis('servers on Redis behind Sentinel', () => {
  test('follow the sentinels to the new primary after a failover, and count together there', async () => {
    await using stack = new AsyncDisposableStack();
    const primary = stack.use(await startRedis(redisServer));
    const replica = stack.use(await startRedis(redisServer, { replicaof: `127.0.0.1 ${primary.port}` }));
    await eventually(
      async () => String(await command(replica.port, 'INFO', 'replication')).includes('master_link_status:up'),
      () => 'The replica does not follow.',
    );
    const sentinel = await startSentinel(stack, primary.port);
    await eventually(
      async () => String(await command(sentinel, 'INFO', 'sentinel')).includes('slaves=1'),
      () => 'The sentinel does not know the replica.',
    );
    const redisUrl = `redis+sentinel://127.0.0.1:${sentinel},127.0.0.1:${await freePort()}/animals/1`;
    const { servers, list } = await startServers(stack, 2, { redisUrl });
    expect([remainingIn(await list(0)), remainingIn(await list(1))]).toEqual([perMinute - 1, perMinute - 2]);
    await primary.kill();
    // No request is refused meanwhile.
    for (let index = 0; index < 8; index += 1) expect((await list(index)).status).toBe(200);
    await eventually(
      async () => String(await command(replica.port, 'INFO', 'replication')).includes('role:master'),
      () => 'The sentinel chooses no new primary.',
    );
    const backs = () => servers.filter((server) => server.log().includes('Redis counts requests again')).length;
    await eventually(
      () => backs() === 2,
      () => servers.map((server) => server.log()).join(''),
    );
    // Each hands over the requests that it counted alone.
    await list(0);
    const used = perMinute - remainingIn(await list(1));
    expect(used).toBeGreaterThanOrEqual(12);
    expect(remainingIn(await list(0))).toBe(perMinute - used - 1);
  }, 60_000);

  test('start without sentinels, and count together once they are there', async () => {
    await using stack = new AsyncDisposableStack();
    const redis = stack.use(await startRedis(redisServer));
    const port = await freePort();
    const { servers, list } = await startServers(stack, 1, { redisUrl: `redis+sentinel://127.0.0.1:${port}/animals` });
    expect((await list(0)).status).toBe(200);
    await startSentinel(stack, redis.port, port);
    await eventually(
      () => servers[0]?.log().includes('Redis counts requests again') === true,
      () => servers[0]?.log() ?? '',
    );
  }, 60_000);
});

/** Starts a sentinel that knows the server of a port as `animals`, and returns its port. */
async function startSentinel(stack: AsyncDisposableStack, target: number, at?: number): Promise<number> {
  const port = at ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor animals 127.0.0.1 ${target} 1`,
    'sentinel down-after-milliseconds animals 500',
    'sentinel failover-timeout animals 2000',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const child: ChildProcess = spawn(redisServer, [file, '--sentinel'], { stdio: 'ignore' });
  stack.defer(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually(
    () =>
      command(port, 'PING').then(
        () => true,
        () => false,
      ),
    () => 'The sentinel does not answer.',
  );
  return port;
}

describeRedis('servers on a Redis Cluster', () => {
  test('count together over all its nodes', async () => {
    await using stack = new AsyncDisposableStack();
    const nodes = await Promise.all(
      [0, 1].map(async () => {
        const bus = await freePort();
        const settings = { 'cluster-enabled': 'yes', 'cluster-port': bus, 'cluster-config-file': 'nodes.conf' };
        return { ...(await startRedis(redisServer, settings)), bus };
      }),
    );
    for (const node of nodes) stack.defer(() => node[Symbol.asyncDispose]());
    const [one, other] = nodes;
    if (one === undefined || other === undefined) throw new Error('There must be two nodes.');
    await command(one.port, 'CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
    await command(other.port, 'CLUSTER', 'ADDSLOTSRANGE', '8192', '16383');
    await command(one.port, 'CLUSTER', 'MEET', '127.0.0.1', String(other.port), String(other.bus));
    for (const { port } of nodes) {
      await eventually(
        async () => String(await command(port, 'CLUSTER', 'INFO')).includes('cluster_state:ok'),
        () => 'The cluster does not form.',
      );
    }
    const { servers, list, allowedOf } = await startServers(stack, 2, {
      redisUrl: `redis+cluster://127.0.0.1:${one.port}`,
    });
    expect([remainingIn(await list(0)), remainingIn(await list(1))]).toEqual([perMinute - 1, perMinute - 2]);
    expect(await allowedOf(80)).toBe(perMinute - 2);
    // Further keys are counted on either node.
    for (let count = 0; count < 10; count += 1) {
      const key = (await servers[0]?.createKey('free')) ?? '';
      const remaining = await Promise.all(
        servers.map(async (server) => remainingIn(await server.call('listPets', { key }))),
      );
      expect(remaining.sort()).toEqual([perMinute - 2, perMinute - 1]);
    }
    const sizes = await Promise.all(nodes.map(({ port }) => command(port, 'DBSIZE')));
    expect(sizes.every((size) => Number(size) > 0)).toBe(true);
    expect(servers.map((server) => server.log()).join('')).not.toContain('Redis cannot count requests');
  }, 60_000);
});
