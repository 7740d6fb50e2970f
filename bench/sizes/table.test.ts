import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../packages/tooling/src/project.ts';
import { sizesFile, sizesTable } from './table.ts';

test('docs/capacity.md has the sizes that were measured last', () => {
  const capacity = readFileSync(join(root, 'docs/capacity.md'), 'utf8');
  expect(capacity).toContain(sizesTable(JSON.parse(readFileSync(sizesFile, 'utf8'))));
});

test('the table adds the indexes of a table to it', () => {
  const engine = { pets: 50, pets_by_status: 25.5, orders: 100 };
  const table = sizesTable({
    measuredOn: '2026-01-01',
    rows: 1,
    sqlite: engine,
    postgres: { ...engine, pets_pkey: 24.5 },
  });
  expect(table).toContain('| `pets_pkey` |  | 24.5 |');
  expect(table).toContain('all of the above** | 0.8 GB | 1.0 GB |');
});
