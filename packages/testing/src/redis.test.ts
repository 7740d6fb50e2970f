import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findRedis } from './redis.ts';

const { PATH, CONTRACT_FIRST_LEFT_OUT } = process.env;
let folders: string[];

beforeEach(() => {
  folders = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'field-notes-path-')));
  process.env['PATH'] = folders.join(delimiter);
  process.env['CONTRACT_FIRST_LEFT_OUT'] = '';
});
afterEach(() => {
  Object.assign(process.env, { PATH, CONTRACT_FIRST_LEFT_OUT: CONTRACT_FIRST_LEFT_OUT ?? '' });
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Puts a program into a folder of the PATH. */
function install(program: string, place: number): string {
  const file = join(folders[place] ?? '', program);
  writeFileSync(file, '');
  return file;
}

test.each(['redis-server', 'valkey-server'])('the tests use %s, wherever it is on the PATH', (program) => {
  const file = install(program, 1);
  expect(findRedis('counters')).toBe(file);
});

test('the tests use Valkey if both are installed', () => {
  install('redis-server', 0);
  const valkey = install('valkey-server', 1);
  expect(findRedis('counters')).toBe(valkey);
});

test('the result is undefined without either', () => {
  expect(findRedis('counters')).toBeUndefined();
});
