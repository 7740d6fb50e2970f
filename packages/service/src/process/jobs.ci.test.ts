import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { Job } from '../openapi/service-parts.ts';
import { type Engine, gate, opener } from '../storage/suite/engine.ts';
import { type NoteStore, type Storage, waitLong } from '../storage/suite/notes.ts';
import { runJob, startJobs } from './jobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobs-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const freshFile = () => {
  files += 1;
  return `sqlite:${join(folder, `${files}.db`)}`;
};

/** A server whose job begins, and never ends. */
const hangingServer = `
import { pino } from '${import.meta.resolve('pino')}';
import { openNotes } from '${new URL('../storage/suite/notes.ts', import.meta.url)}';
import { startJobs } from '${new URL('jobs.ts', import.meta.url)}';
const run = () => {
  console.log('begun');
  return new Promise(() => {});
};
const storage = await openNotes(process.env.DATABASE_URL);
startJobs({ cleanUp: { every: '12 seconds', run } }, { storage, clock: Date.now, log: pino() });
setInterval(() => {}, 1_000);
`;

function describeJobs(engine: Engine): void {
  const open = opener(engine);
  const parts = (storage: Storage, clock = Date.now) => {
    const lines: string[] = [];
    const log = pino({}, { write: (line) => void lines.push(line) });
    return { storage, clock, log, logged: () => lines.join('') };
  };

  describe('jobs', () => {
    test('run once in each interval, also with several servers whose clocks differ by a minute', async () => {
      const storage = await open();
      let count = 0;
      const run: Job<NoteStore>['run'] = async () => {
        count += 1;
      };
      const jobs: Record<string, Job<NoteStore>> = { cleanUp: { every: '1 second', run } };
      const clocks = [Date.now, () => Date.now() - 60_000, () => Date.now() + 60_000];
      const servers = clocks.map((clock) => startJobs(jobs, parts(storage, clock)));
      const startedAt = performance.now();
      await setTimeout(3_400);
      await Promise.all(servers.map(({ stop }) => stop()));
      expect(count).toBeGreaterThan(1);
      // The first run, and one for each second.
      expect(count).toBeLessThan((performance.now() - startedAt) / 1_000 + 2);
    });

    test('that fail run again after their time limit, and not before', async () => {
      const storage = await open();
      const { log, logged, ...others } = parts(storage);
      const job: Job<NoteStore> = {
        every: '1 day',
        limit: '3 seconds',
        run: () => Promise.reject(new Error('It is away.')),
      };
      expect(await runJob('cleanUp', job, { ...others, log })).toBe('failed');
      expect(await runJob('cleanUp', job, { ...others, log })).toBeUndefined();
      expect(logged()).toMatch(/"job":"cleanUp".*It is away\..*job failed; it runs again 3 s after its start/);
      await setTimeout(3_100);
      const seen: unknown[] = [];
      const observe = (...observed: unknown[]) => void seen.push(observed);
      expect(await runJob('cleanUp', { ...job, run: async () => {} }, { ...others, log, observe })).toBe('done');
      expect(seen).toEqual([['cleanUp', 'done', expect.any(Number)]]);
      await setTimeout(3_100);
      expect(await runJob('cleanUp', job, { ...others, log })).toBeUndefined();
    });

    test('that hang are given up at their time limit, and then change nothing', async () => {
      const storage = await open();
      const { log, logged, ...others } = parts(storage);
      const late = gate();
      const run: Job<NoteStore>['run'] = ({ storage: own }) =>
        own.transaction(async (writer) => {
          await writer.addNote({ text: 'too late' });
          await setTimeout(1_200);
        });
      const hangs: Job<NoteStore>['run'] = (call) => run(call).finally(() => late.open());
      const job: Job<NoteStore> = { every: '1 hour', limit: '1 second', run: hangs };
      expect(await runJob('cleanUp', job, { ...others, log })).toBe('failed');
      expect(logged()).toContain('aborted due to timeout');
      await late.opened;
      expect(await storage.reader.listNotes()).toEqual([]);
    });

    test('run at once for an operator, unless they are running', async () => {
      const storage = await open();
      const { log, logged: _, ...others } = parts(storage);
      const [started, end] = [gate(), gate()];
      const job: Job<NoteStore> = {
        every: '1 day',
        run: () => {
          started.open();
          return end.opened;
        },
      };
      const running = runJob('cleanUp', job, { ...others, log });
      await started.opened;
      expect(await runJob('cleanUp', job, { ...others, log }, true)).toBeUndefined();
      end.open();
      expect(await running).toBe('done');
      expect(await runJob('cleanUp', job, { ...others, log }, true)).toBe('done');
    });

    test('that a stop cuts off run on another server at once', async () => {
      const storage = await open();
      const started = gate();
      const hangs: Job<NoteStore> = {
        every: '1 second',
        limit: '1 hour',
        run: () => {
          started.open();
          return new Promise<void>(() => {});
        },
      };
      const server = startJobs({ cleanUp: hangs }, parts(storage));
      await started.opened;
      await server.stop();
      expect(await runJob('cleanUp', { ...hangs, run: async () => {} }, parts(storage))).toBe('done');
    });

    test('whose lease arrives during a stop do not begin, and run on another server at once', async () => {
      const storage = await open();
      const stopping = AbortSignal.abort(new Error('The server stops.'));
      const hangs: Job<NoteStore> = { every: '1 day', run: () => new Promise(() => {}) };
      expect(await runJob('cleanUp', hangs, { ...parts(storage), stopping })).toBe('failed');
      expect(await runJob('cleanUp', { ...hangs, run: async () => {} }, parts(storage))).toBe('done');
    });

    test('that are killed in the middle run again on another server within their interval', async () => {
      using _ = waitLong();
      const url = await engine.freshUrl();
      const server = runNode(folder, ['--input-type=module', '--eval', hangingServer], { DATABASE_URL: url });
      await server.printed(/begun/);
      const killedAt = performance.now();
      server.kill('SIGKILL');
      await server.ended;
      const storage = await open(url);
      const again = gate();
      const job: Job<NoteStore> = { every: '12 seconds', run: async () => again.open() };
      const other = startJobs({ cleanUp: job }, parts(storage));
      await again.opened;
      expect(performance.now() - killedAt).toBeLessThan(12_000);
      await other.stop();
    });
  });
}

describe('on SQLite', () => describeJobs({ freshUrl: freshFile, isSerial: true }));
describeOnPostgres('on PostgreSQL', (postgres) => {
  describeJobs({ freshUrl: () => postgres.freshUrl(), isSerial: false });
});
