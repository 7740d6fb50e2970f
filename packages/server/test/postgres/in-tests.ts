import { afterAll, beforeAll } from '@jest/globals';
import { leaveOut } from '../../../../scripts/testing/left-out.ts';
import { findPrograms } from './programs.ts';
import { startPostgres, type TestPostgres } from './server.ts';

/** Whether this machine can have one. When it cannot, that is noted as left out, with what would change it. */
export function canHavePostgres(): boolean {
  if (findPrograms() !== undefined) return true;
  leaveOut('storage on PostgreSQL', 'install PostgreSQL 15 or newer and set POSTGRES_BIN to the folder of initdb');
  return false;
}

/** Starts a PostgreSQL before the tests of a file, and stops it after them, whatever becomes of them. */
export function usePostgres(): TestPostgres {
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
