import { Agent, type ClientRequest, request } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { eventually, runNode } from '../../../testing/src/child.ts';
import { freePort } from '../../../testing/src/listen.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { startProxy } from '../../../testing/src/postgres/proxy.ts';
import { findRedis, startRedis } from '../../../testing/src/redis.ts';
import { nodeOptions } from '../../../tooling/test/node-options.ts';
import type { startProcess } from '../process.ts';
import { allPets, createStore, type RunningStore, type Store } from './store.ts';

/** The outcome of a request: its status, the code of a connection error, or "cut" for a truncated response. */
type Outcome = number | string;

const CLIENTS = 20;

describe.each([
  ['connections that are kept alive', true],
  ['a connection for each request', false],
])('SIGTERM under load, with %s', (_, keepAlive) => {
  test('fails no request of a balancer that stops sending when the server is no longer ready', async () => {
    await using store = await createStore();
    const server = await store.start({ environment: { DRAIN_DELAY_SECONDS: '1', DRAIN_SECONDS: '5' } });
    let isReady = true;
    const load = putUnderLoad(server, { key: store.key, keepAlive, keepsSending: () => isReady });
    await load.isRunning;
    const ended = server.end('SIGTERM');
    while (isReady) isReady = (await fetch(`${server.url}/readyz`)).status === 200;
    const outcomes = await load.outcomes;
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(new Set(outcomes)).toEqual(new Set([201]));
    expect(await petsOf(await store.start())).toHaveLength(outcomes.length);
  });

  test('answers each request that it has accepted, even if callers never stop sending', async () => {
    await using store = await createStore();
    const server = await store.start();
    const load = putUnderLoad(server, { key: store.key, keepAlive, keepsSending: () => true });
    await load.isRunning;
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const outcomes = await load.outcomes;
    const acknowledged = outcomes.filter((outcome) => outcome === 201);
    // The system may still reset a connection that begins at the moment when the server stops listening.
    const others = new Set(outcomes.filter((outcome) => outcome !== 201));
    expect([...others].filter((outcome) => outcome !== 'ECONNREFUSED' && outcome !== 'ECONNRESET')).toEqual([]);
    expect(await petsOf(await store.start())).toHaveLength(acknowledged.length);
  });
});

describe('SIGTERM resets no connection of callers that keep it alive', () => {
  test('also during the start', async () => {
    await using store = await createStore();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { PORT: String(port), DATABASE_URL: store.url };
    const server = runNode(import.meta.dirname, ['../../src/main.ts'], environment);
    const isUp = () =>
      fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(isUp, server.output);
    const load = putUnderLoad({ url }, { key: store.key, keepAlive: true, keepsSending: () => true, enough: CLIENTS });
    await load.isRunning;
    server.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(new Set(await load.outcomes)).toEqual(new Set([201, 'ECONNREFUSED']));
  });
});

type LoadParts = {
  key: string;
  keepAlive: boolean;
  keepsSending: () => boolean;
  /** The number of outcomes after which the load counts as running. */
  enough?: number;
  /** Sends a request; by default it creates an animal with that name. */
  send?: (agent: Agent, name: string) => Promise<Outcome>;
};

/**
 * Clients that create animals one after another, until `keepsSending` returns false or the server accepts no connections.
 */
function putUnderLoad(server: { url: string }, { key, keepAlive, keepsSending, enough = 200, send }: LoadParts) {
  const agent = new Agent({ keepAlive, maxSockets: CLIENTS });
  const sendOne = send ?? ((_: Agent, name: string) => create(server, key, agent, name));
  const running = Promise.withResolvers<void>();
  const outcomes: Outcome[] = [];
  const working = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let number = 0; keepsSending(); number += 1) {
      const outcome = await sendOne(agent, `pet-${client}-${number}`);
      outcomes.push(outcome);
      if (outcomes.length === enough) running.resolve();
      if (outcome === 'ECONNREFUSED') return;
    }
  });
  const all = Promise.all(working).then(() => {
    agent.destroy();
    return outcomes;
  });
  return { isRunning: running.promise, outcomes: all };
}

describe('a request that does not end', () => {
  /** A request whose body never arrives. */
  function hang(server: RunningStore, key: string): Promise<Outcome> {
    return new Promise((resolve) => {
      const headers = { ...headersOf(key), 'content-length': '100' };
      const hanging = request(`${server.url}/v1/pets`, { method: 'POST', headers }, (response) => {
        resolve(response.statusCode ?? 0);
      });
      hanging.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
      hanging.flushHeaders();
    });
  }

  test('is cut off at the deadline, and the process exits 0', async () => {
    await using store = await createStore();
    const server = await store.start({ environment: { DRAIN_SECONDS: '1' } });
    const outcome = hang(server, store.key);
    await server.list();
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await outcome).toBe('ECONNRESET');
  });

  test('does not prevent a second signal from ending the process at once', async () => {
    await using store = await createStore();
    const server = await store.start({ environment: { DRAIN_SECONDS: '3600' } });
    const outcome = hang(server, store.key);
    await server.list();
    server.child.kill('SIGTERM');
    // Two signals at once count as one press of Ctrl-C, which can reach a process in several ways.
    await setTimeout(1_200);
    expect(await server.end('SIGTERM')).toEqual({ code: 1, signal: null });
    expect(await outcome).toBe('ECONNRESET');
  });
});

function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
}

function create(server: { url: string }, key: string, agent: Agent, name: string): Promise<Outcome> {
  const sent = request(`${server.url}/v1/pets`, { method: 'POST', agent, headers: headersOf(key) });
  return outcomeOf(sent, JSON.stringify({ name, categoryId: 1 }));
}

function outcomeOf(sent: ClientRequest, body = ''): Promise<Outcome> {
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve('code' in error ? String(error.code) : error.message);
    sent.on('response', (response) => {
      response.on('error', fail);
      response.on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 'cut'));
      response.resume();
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

function petsOf(server: RunningStore) {
  return allPets((query) => server.list(query));
}

const environment = { DRAIN_SECONDS: '1', LOG_LEVEL: 'error' };

/** Milliseconds from the signal to the end of the process. A frozen part would keep it alive for minutes, or for ever. */
async function timeToEnd(server: Awaited<ReturnType<typeof startProcess>>) {
  const startedAt = performance.now();
  const ended = await server.end('SIGTERM');
  return { ended, milliseconds: performance.now() - startedAt };
}

/** The milliseconds that a stop may take: DRAIN_SECONDS + 2 seconds, and what this machine adds, which a start shows. */
function longestStop(startTime: number): number {
  return 3_000 + 4 * startTime;
}

/** Starts a server. Returns the milliseconds that its stop may take as well. */
async function startTimed(store: Store, further: Record<string, string> = {}) {
  const startedAt = performance.now();
  const server = await store.start({ environment: { ...environment, ...further } });
  return { server, longest: longestStop(performance.now() - startedAt) };
}

describeOnPostgres('SIGTERM while PostgreSQL is frozen', (postgres) => {
  test('ends the process in time, and has nothing left to save', async () => {
    await using store = await createStore(await postgres.freshUrl());
    const { server, longest } = await startTimed(store);
    expect((await server.list()).status).toBe(200);
    const backends = await postgres.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'animal-store'");
    const [main] = String((await postgres.query("SELECT pg_read_file('postmaster.pid')"))[0]?.[0]).split('\n');
    const processes = [main, ...backends.flat()].map(Number);
    for (const pid of processes) process.kill(pid, 'SIGSTOP');
    const { ended, milliseconds } = await timeToEnd(server);
    for (const pid of processes) process.kill(pid, 'SIGCONT');
    expect(milliseconds).toBeLessThan(longest);
    expect(ended).toEqual({ code: 0, signal: null });
  });
});

test('SIGTERM while a SQLite file is locked ends the process in time', async () => {
  await using store = await createStore();
  const { server, longest } = await startTimed(store);
  expect((await server.list()).status).toBe(200);
  using other = new DatabaseSync(store.path);
  other.exec('BEGIN IMMEDIATE');
  const { ended, milliseconds } = await timeToEnd(server);
  expect(milliseconds).toBeLessThan(longest);
  expect(ended).toEqual({ code: 1, signal: null });
  expect(server.output()).toContain('the stop could not save the usage');
});

const redisServer = findRedis('a stop while Redis is frozen');

(redisServer === undefined ? test.skip : test)(
  'SIGTERM while Redis is frozen ends the process in time, and loses nothing',
  async () => {
    await using redis = await startRedis(redisServer ?? '');
    await using store = await createStore();
    const { server, longest } = await startTimed(store, { REDIS_URL: redis.url });
    expect((await server.list()).status).toBe(200);
    redis.pause();
    expect((await server.add('Rex')).status).toBe(201);
    const { ended, milliseconds } = await timeToEnd(server);
    redis.goOn();
    expect(milliseconds).toBeLessThan(longest);
    expect(ended).toEqual({ code: 0, signal: null });
  },
);

describeOnPostgres('SIGTERM during a start that hangs', (postgres) => {
  test('ends the process in time', async () => {
    const proxy = await startProxy(postgres.port);
    proxy.set({ kind: 'silent' });
    const connections = proxy.count('tester');
    const beganAt = performance.now();
    const running = runNode(import.meta.dirname, [...nodeOptions, '../../src/main.ts'], {
      ...{ PORT: '0', DATABASE_URL: await postgres.freshUrl(proxy.port) },
      ...environment,
    });
    try {
      // Until it has loaded its modules, and handles signals.
      await eventually(() => connections() > 0, running.output, 3);
      const longest = longestStop(performance.now() - beganAt);
      const startedAt = performance.now();
      running.kill('SIGTERM');
      await running.ended;
      expect(performance.now() - startedAt).toBeLessThan(longest);
    } finally {
      running.kill('SIGKILL');
      await proxy.stop();
    }
  });
});
