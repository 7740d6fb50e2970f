import { setTimeout } from 'node:timers/promises';
import { banRules } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { startRedis } from '../../../../scripts/testing/redis.ts';
import { describeRedis, redisServer } from '../../src/limits/shared/counters-fixture.ts';
import { callOperation } from '../harness.ts';
import { createHost, createInACrowd, type Host, type Outcome, processesIn } from './crowd.ts';

const PROCESSES = 4;
const QUOTA = 200;

/** Four processes, wherever they are told to count. */
type Running = {
  urls: string[];
  output: () => string;
  /** Ends the process with that number at once. */
  kill: (pid: number) => void;
};

/** Four servers, each on a port of its own, and a Redis. */
async function startServers(host: Host, stack: AsyncDisposableStack): Promise<Running> {
  const redis = stack.use(await startRedis(redisServer));
  // Patient, so that a machine that is busy with other tests is not taken for a Redis that is away.
  const environment = { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '30000' };
  const servers = await Promise.all(Array.from({ length: PROCESSES }, () => host.start(environment)));
  return {
    urls: servers.map(({ url }) => url),
    output: () => servers.map(({ output }) => output()).join(''),
    kill: (pid) => process.kill(pid, 'SIGKILL'),
  };
}

/** One server of four workers on one port. */
async function startWorkers(host: Host): Promise<Running> {
  const server = await host.start({ WORKERS: String(PROCESSES) });
  return { urls: [server.url], output: server.output, kill: (pid) => process.kill(pid, 'SIGKILL') };
}

describeRedis('four servers on one database and one Redis', () => describeProcesses(startServers));
describe('one server of four workers', () => describeProcesses(startWorkers));

function describeProcesses(start: (host: Host, stack: AsyncDisposableStack) => Promise<Running>): void {
  test('let exactly the quota of each key pass under 200 clients, and agree on a ban', async () => {
    await using stack = new AsyncDisposableStack();
    const host = stack.use(await createHost());
    const { urls, output } = await start(host, stack);
    const keys = await Promise.all([host.createKey(QUOTA), host.createKey(QUOTA), host.createKey(QUOTA)]);
    const outcomes = await createInACrowd({ urls, keys, each: 6 });
    const statuses = keys.map((key) => countStatuses(outcomes.filter((outcome) => outcome.key === key)));
    const total = 6 * 200;
    expect(statuses.map((counts) => counts.get(201))).toEqual(keys.map(() => QUOTA));
    expect(statuses.reduce((sum, counts) => sum + (counts.get(429) ?? 0), 0)).toBe(total - keys.length * QUOTA);
    expect(processesIn(output())).toHaveLength(PROCESSES);
    await expectBanEverywhere(urls, keys[0] ?? '', output);
  });

  test('keep each acknowledged animal under an id of its own when one of them is killed in the middle', async () => {
    await using stack = new AsyncDisposableStack();
    const host = stack.use(await createHost());
    const { urls, output, kill } = await start(host, stack);
    const quota = 500;
    const key = await host.createKey(quota);
    let victim: number | undefined;
    const onReply = (count: number) => {
      if (count < 150 || victim !== undefined) return;
      [victim] = processesIn(output());
      if (victim !== undefined) kill(victim);
    };
    const outcomes = await createInACrowd({ urls, keys: [key], each: 5, onReply });
    expect(victim).toBeDefined();
    const replies = outcomes.flatMap(({ name, reply }) => (reply === undefined ? [] : [{ name, reply }]));
    const acknowledged = replies.filter(({ reply }) => reply.status === 201);
    const pets = await host.pets();
    expect(acknowledged.filter(({ name, reply }) => pets.get(reply.body.id) !== name)).toEqual([]);
    expect(new Set(acknowledged.map(({ reply }) => reply.body.id)).size).toBe(acknowledged.length);
    // Who was killed had counted some that it never answered; no other request is missing.
    expect(pets.size).toBeLessThanOrEqual(quota);
    expect(acknowledged.length + outcomes.length - replies.length).toBeGreaterThanOrEqual(quota);
    expect(new Set(replies.map(({ reply }) => reply.status))).toEqual(new Set([201, 429]));
  });
}

function countStatuses(outcomes: Outcome[]): Map<number | undefined, number> {
  const counts = new Map<number | undefined, number>();
  for (const { reply } of outcomes) counts.set(reply?.status, (counts.get(reply?.status) ?? 0) + 1);
  return counts;
}

/** Goes on after the refusals until the key is banned; then asks until each process has said so. */
async function expectBanEverywhere(urls: string[], key: string, output: () => string): Promise<void> {
  // A connection for each call: those that are kept belong to the processes that took them, be they all or not.
  const parts = { headers: { connection: 'close' } };
  const codeAt = async (url: string) => (await callOperation(url, key, 'listPets', parts)).body.code;
  await setTimeout(banRules.graceSeconds * 1_000);
  const codes: string[] = [];
  for (let count = 0; count <= banRules.toleratedRefusals; count += 1) {
    codes.push(await codeAt(urls[count % urls.length] ?? ''));
  }
  const askAll = () => Promise.all(Array.from({ length: 100 }, (_, count) => codeAt(urls[count % urls.length] ?? '')));
  expect(codes.at(-1)).toBe('key_banned');
  // The one that gave the ban has said so; the others have only heard of the key.
  while (processesIn(output(), 'key_banned').length < PROCESSES) codes.push(...(await askAll()));
  expect(new Set(codes.slice(banRules.toleratedRefusals))).toEqual(new Set(['key_banned']));
}
