import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { eventually, runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import type { Job } from '../openapi/service-parts.ts';
import { type Engine, gate, opener } from '../storage/suite/engine.ts';
import { type NoteStore, type Storage, waitLong } from '../storage/suite/notes.ts';
import { runJob, startJobs, timesOf } from './jobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'jobs-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const freshFile = () => {
  files += 1;
  return `sqlite:${join(folder, `${files}.db`)}`;
};

test('a job may run for half of its interval and for 10 minutes, or as long as it says', () => {
  expect(timesOf('cleanUp', { every: '12 seconds' })).toEqual({ everyMs: 12_000, limitMs: 6_000 });
  expect(timesOf('cleanUp', { every: '1 day' })).toEqual({ everyMs: 86_400_000, limitMs: 600_000 });
  expect(timesOf('cleanUp', { every: '86400 seconds', limit: '2 days' }).limitMs).toBe(172_800_000);
});

test.each(['0 minutes', '-1 hours', '1.5 hours', '1e3 seconds', '25 days'] as const)('%s is not a limit', (limit) => {
  const wrong = `The job cleanUp has the time "${limit}". Write a whole number and a unit`;
  expect(() => timesOf('cleanUp', { every: '1 day', limit })).toThrow(wrong);
});

/** A server that runs a job to its end, and begins one that never ends. */
const hangingServer = `
import { pino } from '${import.meta.resolve('pino')}';
import { openNotes } from '${new URL('../storage/suite/notes.ts', import.meta.url)}';
import { startJobs } from '${new URL('jobs.ts', import.meta.url)}';
const run = () => {
  console.log('begun');
  return new Promise(() => {});
};
const storage = await openNotes(process.env.DATABASE_URL);
const jobs = { ends: { every: '12 seconds', run: async () => {} }, cleanUp: { every: '12 seconds', run } };
startJobs(jobs, { storage, clock: Date.now, log: pino() });
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
      await eventually(
        () => count >= 3,
        () => `It ran ${count} times.`,
      );
      await Promise.all(servers.map(({ stop }) => stop()));
      // The first run, and one for each second.
      expect(count).toBeLessThan((performance.now() - startedAt) / 1_000 + 2);
    });

    test('that fail run again after their time limit, and not before', async () => {
      const storage = await open();
      const { log, logged, ...others } = parts(storage);
      const fails = () => Promise.reject(new Error('It is away.'));
      const longer: Job<NoteStore> = { every: '1 day', limit: '2 hours', run: fails };
      expect(await runJob('longer', longer, { ...others, log })).toBe('failed');
      expect(await runJob('longer', longer, { ...others, log })).toBeUndefined();
      expect(logged()).toMatch(/"job":"longer".*It is away\..*job failed; it runs again 7200 s after its start/);
      const job: Job<NoteStore> = { every: '1 day', limit: '1 second', run: fails };
      expect(await runJob('cleanUp', job, { ...others, log })).toBe('failed');
      const seen: unknown[] = [];
      const observe = (...observed: unknown[]) => void seen.push(observed);
      const ends = { ...job, run: async () => {} };
      await eventually(async () => (await runJob('cleanUp', ends, { ...others, log, observe })) === 'done', logged);
      expect(seen).toEqual([['cleanUp', 'done', expect.any(Number)]]);
      await setTimeout(1_100);
      expect(await runJob('cleanUp', job, { ...others, log })).toBeUndefined();
    });

    test('that hang are given up at their time limit, and then change nothing', async () => {
      const storage = await open();
      const { log, logged, ...others } = parts(storage);
      const late = gate();
      const run: Job<NoteStore>['run'] = ({ storage: own, signal }) =>
        own.transaction(async (writer) => {
          await writer.addNote({ text: 'too late' });
          await once(signal, 'abort');
          await setTimeout(100);
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
      const { logged, ...others } = parts(storage);
      const server = startJobs({ cleanUp: hangs }, others);
      await started.opened;
      await server.stop();
      expect(logged()).toContain('the stop has ended a job; it is due at once');
      expect(logged()).not.toContain('runs again');
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
      await server.printed(/"job":"ends".*job done/);
      server.kill('SIGKILL');
      await server.ended;
      const storage = await open(url);
      const begun: string[] = [];
      const job = (name: string): Job<NoteStore> => ({ every: '12 seconds', run: async () => void begun.push(name) });
      const other = startJobs({ cleanUp: job('cleanUp'), ends: job('ends') }, parts(storage));
      // The job that ended is due 12 seconds after its start, and the other one has started after it.
      await eventually(
        () => begun.length > 0,
        () => 'No job ran again.',
      );
      expect(begun).toEqual(['cleanUp']);
      await other.stop();
    });
  });
}

describe('on SQLite', () => describeJobs({ freshUrl: freshFile, isSerial: true }));
describeOnPostgres('on PostgreSQL', (postgres) => {
  describeJobs({ freshUrl: () => postgres.freshUrl(), isSerial: false });
});
