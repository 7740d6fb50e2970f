import { afterAll, beforeAll, describe } from '@jest/globals';
import { leaveOut } from '../../../../scripts/testing/left-out.ts';
import { findPrograms } from './programs.ts';
import { startPostgres, type TestPostgres } from './server.ts';

/** Whether this machine can have one. When it cannot, that is noted as left out, with what would change it. */
export function canHavePostgres(): boolean {
  if (findPrograms() !== undefined) return true;
  leaveOut(
    'storage on PostgreSQL',
    'apt-get install postgresql, then POSTGRES_BIN=/usr/lib/postgresql/15/bin npm test',
  );
  return false;
}

/** Tests with a PostgreSQL of their own, which stops with them; skipped where this machine cannot have one. */
export function describeOnPostgres(name: string, tests: (postgres: TestPostgres) => void): void {
  const describeOrSkip = canHavePostgres() ? describe : describe.skip;
  describeOrSkip(name, () => tests(usePostgres()));
}

/** Starts a PostgreSQL before the tests of a file, and stops it after them, whatever becomes of them. */
function usePostgres(): TestPostgres {
  let postgres: (TestPostgres & { remove: () => Promise<void> }) | undefined;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
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
