import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readConfig } from '../../../packages/server/src/config/config.ts';
import { root } from '../../../scripts/root.ts';
import { keyMemory } from '../model/costs.ts';
import { readRun } from '../run.ts';
import { documentFile, withTables } from './document.ts';

const run = readRun();
const text = readFileSync(documentFile, 'utf8');

test('the tables of docs/capacity.md are those of the last run; npm run bench:capacity -- --render writes them', () => {
  expect(text).toBe(withTables(text, run));
});

test('a changed number changes the document', () => {
  const slower = { ...run, workers: { ...run.workers, rate: { median: 1, low: 1, high: 1 } } };
  expect(withTables(text, slower)).toContain('processes answered 1 (1 to 1) pages a second');
});

test('without Redis the document says so', () => {
  const { unknownOnRedis, unknownOnRedisOneKey, getOnBoth, listOnBoth, createOnBoth, ...requests } = run.requests;
  expect([unknownOnRedis, unknownOnRedisOneKey, getOnBoth, listOnBoth, createOnBoth]).not.toContain(undefined);
  const without = withTables(text, { ...run, requests });
  expect(without).toContain('| counting in Redis | not measured: there was none |');
  expect(without).toContain('| 10 thousand | 1 | not measured | not measured | not measured |');
});

test('a document without the places for its tables is refused', () => {
  expect(() => withTables('nothing', run)).toThrow('The document has no place for machine, parts,');
});

test('what is said and computed about the server is what the server does', () => {
  const source = (path: string) => readFileSync(join(root, 'packages/server/src', path), 'utf8');
  const constant = (path: string, name: string) =>
    Number(new RegExp(`const ${name} = ([\\d_]+)`).exec(source(path))?.[1]?.replaceAll('_', ''));
  expect(constant('auth/secret-cache.ts', 'CAPACITY')).toBe(keyMemory.keys);
  expect(constant('auth/secret-cache.ts', 'FRESH')).toBe(keyMemory.seconds * 1_000);
  expect(text).toContain(
    `The pool of a process has ${constant('storage/postgres/connection/settings.ts', 'POOL_SIZE')} `,
  );
  const patience = constant('storage/postgres/counters.ts', 'PATIENCE');
  expect(text).toContain(
    `wait for the patience of ${readConfig({}).redisTimeout} ms, or of ${patience} ms for a PostgreSQL`,
  );
});
