import { beforeAll } from '@jest/globals';
import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { describeDurability, describeStorage } from '../suite/index.ts';
import { waitLong } from '../suite/notes.ts';

describeOnPostgres('PostgreSQL as the storage', (postgres) => {
  beforeAll(() => void waitLong());
  const engine = { freshUrl: () => postgres.freshUrl(), isSerial: false };
  describeStorage('PostgreSQL', engine);
  describeDurability('PostgreSQL', engine);
});
