import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { timeouts } from './time.ts';

test('the timeouts are ordered, and docs/operate/postgresql.md has the same table', () => {
  const values = Object.values(timeouts);
  expect(values).toEqual(values.toSorted((one, other) => one - other));
  const docs = readFileSync(new URL('../../../../docs/operate/postgresql.md', import.meta.url), 'utf8');
  const rows = [...docs.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, name, value]) => [name, Number(value)]);
  expect(rows.filter(([name]) => name !== undefined && name in timeouts)).toEqual(Object.entries(timeouts));
});
