import { describe, expect, test } from '@jest/globals';
import { blockingStatements } from './blocking-migrations.ts';

const timeout = "SET LOCAL lock_timeout = '500ms';\n";

function adviceOf(sql: string): string[] {
  return blockingStatements(sql).map(({ advice }) => advice);
}

describe('a migration of PostgreSQL may', () => {
  test.each([
    ['create tables with indexes', 'CREATE TABLE a (id bigint UNIQUE); CREATE INDEX a_by_id ON a (id)'],
    ['fill a new table', "CREATE TABLE a (id text); INSERT INTO a (id) VALUES ('UPDATE')"],
    ['change a new table', 'CREATE TABLE a (id text); ALTER TABLE a ALTER id SET NOT NULL'],
    ['create an index that can be built before', `${timeout}CREATE UNIQUE INDEX IF NOT EXISTS b_by_id ON b (id)`],
    ['add a column', `${timeout}ALTER TABLE b ADD COLUMN c text NOT NULL DEFAULT 'CHECK'`],
    ['add a constraint without reading rows', `${timeout}ALTER TABLE b ADD CONSTRAINT c CHECK (d > 0) NOT VALID`],
    ['use an index that exists', `${timeout}ALTER TABLE b ADD CONSTRAINT c UNIQUE USING INDEX d`],
    ['drop and rename', `${timeout}ALTER TABLE b RENAME COLUMN c TO d; DROP INDEX b_by_c; DROP TABLE e`],
    ['change defaults', `${timeout}ALTER TABLE b ALTER COLUMN c SET DEFAULT 0, ALTER d DROP NOT NULL`],
    ['explain an exception', '-- does not block: settings has one row.\nUPDATE settings SET value = 1'],
  ])('%s', (_, sql) => {
    expect(blockingStatements(sql)).toEqual([]);
  });
});

describe('a migration of PostgreSQL must not', () => {
  test.each([
    ['build an index in its transaction', 'CREATE INDEX b_by_c ON b (c)', 'Blocks writes while it reads'],
    ['leave an index without a name', 'CREATE INDEX ON b (c)', 'Blocks writes while it reads'],
    ['use CONCURRENTLY', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS d ON b (c)', 'Omit it'],
    ['add a column with a computed default', 'ALTER TABLE b ADD c uuid DEFAULT gen_random_uuid()', 'Reads or rewrites'],
    ['add a generated column', 'ALTER TABLE b ADD COLUMN c bigint GENERATED ALWAYS AS (d) STORED', 'Reads or rewrites'],
    ['add a column with a foreign key', 'ALTER TABLE b ADD COLUMN c bigint REFERENCES d (id)', 'Reads or rewrites'],
    ['add a unique constraint', 'ALTER TABLE b ADD CONSTRAINT c UNIQUE (d)', 'USING INDEX'],
    ['add a primary key', 'ALTER TABLE b ADD PRIMARY KEY (d)', 'USING INDEX'],
    ['check all rows', 'ALTER TABLE b ADD CONSTRAINT c CHECK (d > 0)', 'NOT VALID'],
    ['check a foreign key', 'ALTER TABLE b ADD FOREIGN KEY (c) REFERENCES d (id)', 'NOT VALID'],
    ['require a value', 'ALTER TABLE b ALTER COLUMN c SET NOT NULL', 'IS NOT NULL) NOT VALID'],
    ['change a type', 'ALTER TABLE b\n  ALTER c TYPE bigint', 'Rewrites the table'],
    ['change all rows', "UPDATE b SET c = ';'", 'a few thousand at a time'],
    ['hide a change of all rows', 'WITH x AS (SELECT 1) UPDATE b SET c = 1', 'a few thousand at a time'],
    ['copy rows', 'INSERT INTO a SELECT * FROM b', 'does not know'],
    ['run code', 'DO $$ BEGIN UPDATE b SET c = 1; END $$', 'does not know'],
    [
      'index a column that it adds',
      'ALTER TABLE b ADD c text; CREATE INDEX IF NOT EXISTS d ON b (c)',
      'next migration',
    ],
  ])('%s', (_, sql, advice) => {
    expect(adviceOf(timeout + sql)).toEqual([expect.stringContaining(advice)]);
  });

  test.each([['ALTER TABLE b ADD c text'], ['CREATE INDEX IF NOT EXISTS d ON b (c)'], ['DROP TABLE b']])(
    'wait for a lock without a timeout: %s',
    (sql) => {
      expect(adviceOf(sql)).toEqual([expect.stringContaining('SET LOCAL lock_timeout')]);
    },
  );
});

test('a problem names the line of its statement', () => {
  expect(blockingStatements(`${timeout}-- Why; how.\nALTER TABLE b ADD c text;\n\nCLUSTER b;`)).toEqual([
    { line: 5, statement: 'CLUSTER b;', advice: expect.any(String) },
  ]);
});
