import { describeOnPostgres } from '../../../../testing/src/postgres/in-tests.ts';
import { describeDurability, describeStorage } from '../suite/index.ts';

describeOnPostgres('PostgreSQL as the storage', (postgres) => {
  const engine = { freshUrl: () => postgres.freshUrl(), isSerial: false };
  describeStorage('PostgreSQL', engine);
  describeDurability('PostgreSQL', engine);
});
