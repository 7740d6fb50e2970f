import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { memoryDatabaseUrl } from '../../../../service/src/storage/open.ts';
import { waitLong } from '../../../../service/src/storage/suite/notes.ts';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { describeStore } from './suite/index.ts';

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
