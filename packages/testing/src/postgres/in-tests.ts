import { afterAll, beforeAll, describe } from '@jest/globals';
import { leaveOut } from '../left-out.ts';
import { findPrograms } from './programs.ts';
import { startPostgres, type TestPostgres } from './server.ts';

/** Whether this machine can run PostgreSQL. If not, its tests are reported as left out, with what to install. */
export function canHavePostgres(): boolean {
  if (findPrograms() !== undefined) return true;
  leaveOut(
    'storage on PostgreSQL',
    'apt-get install postgresql, then POSTGRES_BIN=/usr/lib/postgresql/15/bin npm test',
  );
  return false;
}

/** Runs tests with their own PostgreSQL, which stops after them. They are skipped if this machine cannot run one. */
export function describeOnPostgres(name: string, tests: (postgres: TestPostgres) => void): void {
  const describeOrSkip = canHavePostgres() ? describe : describe.skip;
  describeOrSkip(name, () => tests(usePostgres()));
}

/** Starts a PostgreSQL before the tests of a file, and stops it after them, even if they fail. */
export function usePostgres(): TestPostgres {
  let postgres: (TestPostgres & { remove: () => Promise<void> }) | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.remove());
  const running = () => {
    if (postgres === undefined) throw new Error('PostgreSQL is started before the first test.');
    return postgres;
  };
  return {
    get port() {
      return running().port;
    },
    freshUrl: (port) => running().freshUrl(port),
    urlOf: (database) => running().urlOf(database),
    query: (sql, database) => running().query(sql, database),
    start: () => running().start(),
    stop: () => running().stop(),
    crash: () => running().crash(),
  };
}
