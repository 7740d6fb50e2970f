import { describe } from '@jest/globals';
import { canHavePostgres, usePostgres } from '../../../test/postgres/in-tests.ts';
import { describeDurability, describeStorage } from '../suite/index.ts';

if (canHavePostgres()) {
  const postgres = usePostgres();
  const engine = { freshUrl: () => postgres.freshUrl(), isSerial: false };
  describeStorage('PostgreSQL', engine);
  describeDurability('PostgreSQL', engine);
} else {
  describe.skip('PostgreSQL', () => {});
}
