import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../testing/src/child.ts';
import { freePort } from '../../../../testing/src/free-port.ts';
import { allPets } from '../../faults/store.ts';
import { callOperation, temporaryDatabase } from '../../harness.ts';
import { startProcess } from '../../process.ts';
import { callThrough, findNginx, startNginx } from '../balancer/nginx.ts';
import { sqlUnder, stepsUnder } from './operate-steps.ts';
import { createWorkspace, writeMigration } from './workspace.ts';

const nginx = findNginx();
const describeNginx = nginx === undefined ? describe.skip : describe;

/** Callers that create animals one after another, over keep-alive connections. */
const CALLERS = 10;

describeNginx('a rolling update, as in docs/operate', () => {
  const [steps = ''] = stepsUnder('upgrades.md', 'With nginx', 1);
  const change = sqlUnder('upgrades.md', 'Change tables', 2)[0]?.replace(/^SET LOCAL.*\n/, '') ?? '';

  test('loses no request under load, although its tables differ', async () => {
    await using stack = new AsyncDisposableStack();
    const database = await temporaryDatabase();
    stack.defer(database.remove);
    const environment = {
      DATABASE_URL: database.url,
      NODE_ENV: 'production',
      TRUST_PROXY: '1',
      DRAIN_DELAY_SECONDS: '1',
    };
    const place = stack.use(createWorkspace(environment));
    const ports = [await freePort(), await freePort()] as const;
    const old = await Promise.all(ports.map((port) => startProcess({ ...environment, PORT: String(port) })));
    stack.defer(async () => void (await Promise.all(old.map((server) => server.end('SIGKILL')))));
    // nginx starts after the servers, because it would otherwise treat them as down for a second.
    const balancer = stack.use(await startNginx(nginx ?? '', [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`]));
    const key = await place.createKey();
    // The workspace contains the new version.
    writeMigration(place, 'sqlite/*-colour.sql', change);

    const load = startLoad(balancer.url, key);
    stack.defer(async () => void (await load.stop()));
    for (const [index, server] of old.entries()) {
      await load.progress();
      const number = String(index + 1);
      await place.run(`echo ${server.child.pid} >server-${number}.pid`);
      stack.defer(async () => void (await place.run(killStarted(number))));
      const ofThis = steps.replaceAll('server-1', `server-${number}`).replaceAll('3001', String(ports[index]));
      await place.run(ofThis, { STATE: balancer.state });
      expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }
    await load.progress();
    const statuses = await load.stop();
    expect([new Set(statuses), refusals(balancer.log())]).toEqual([new Set([201]), []]);

    // Both new servers have handled requests, and every animal exists once.
    for (const number of [1, 2]) {
      expect(readFileSync(join(place.folder, `server-${number}.log`), 'utf8')).toContain('"operation":"createPet"');
    }
    const list = (query: string) => callOperation(`http://127.0.0.1:${ports[0]}`, key, 'listPets', { query });
    expect(await allPets(list)).toHaveLength(statuses.length);
  });
});

/** The lines about failed requests in the log of nginx. */
function refusals(log: string): string[] {
  return log.split('\n').filter((line) => /"status":[45]/.test(line));
}

/** Kills the server whose process ID the steps have written, if it was started. */
function killStarted(number: string): string {
  return `kill -KILL "$(cat server-${number}.pid)" 2>/dev/null || true`;
}

function startLoad(url: string, key: string) {
  const statuses: (number | string)[] = [];
  let isRunning = true;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (isRunning) {
      const body = { name: `pet ${statuses.length}`, categoryId: 1 };
      const sent = callThrough(url, key, 'createPet', { body });
      statuses.push(await sent.then(({ status }) => status).catch((error: Error) => String(error.cause ?? error)));
    }
  });
  return {
    /** Resolves after a hundred more responses. */
    progress: async () => {
      const before = statuses.length;
      await eventually(
        () => statuses.length >= before + 100,
        () => 'No requests succeed.',
      );
    },
    stop: async () => {
      isRunning = false;
      await Promise.all(callers);
      return statuses;
    },
  };
}
