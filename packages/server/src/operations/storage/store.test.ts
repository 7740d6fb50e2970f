import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { memoryDatabaseUrl } from '../../../../service/src/storage/open.ts';
import { waitLong } from '../../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import type { Engine } from './suite/engine.ts';
import { describeOrders } from './suite/orders.ts';
import { describePets } from './suite/pets.ts';
import { describeTransactions } from './suite/transactions.ts';

/** The requirements for the store on every engine. */
function describeStore(name: string, engine: Engine): void {
  describe(`store on ${name}`, () => {
    describePets(engine);
    describeOrders(engine);
    describeTransactions(engine);
  });
}

const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
const freshUrl = () => {
  count += 1;
  return `sqlite:${join(folder, `${count}.db`)}`;
};

describeStore('a SQLite file', { freshUrl, isSerial: true });
describeStore('SQLite in memory', { freshUrl: () => memoryDatabaseUrl, isSerial: true });
describeOnPostgres('PostgreSQL', (postgres) => {
  beforeAll(() => void waitLong());
  describeStore('PostgreSQL', { freshUrl: () => postgres.freshUrl(), isSerial: false });
});
