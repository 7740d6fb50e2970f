import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openJournal } from './journal.ts';

const NOON = Date.parse('2026-12-01T12:00:00Z');

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-journal-'));
  path = join(folder, 'journal');
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(now = NOON, hash = 'hash') {
  return openJournal(path, hash, () => now);
}

test('a later run knows which rows were sent and when, and which were added', () => {
  const first = open();
  expect([first.noteSent('a'), first.noteSent('b'), first.noteSent('b')]).toEqual([true, true, false]);
  first.noteAdded('a', 1);
  first.close();
  const second = open(NOON + 5_000);
  expect([second.wasAdded('a'), second.wasAdded('b')]).toEqual([true, false]);
  expect(second.noteSent('b')).toBe(false);
  expect(second.firstSentAt('b')).toBe(NOON);
  expect(second.timesSent('b')).toBe(1);
  second.close();
});

test('a request that had no effect is taken back', () => {
  const first = open();
  first.noteSent('a');
  first.takeBack('a');
  first.close();
  const second = open(NOON + 5_000);
  expect(second.firstSentAt('a')).toBeUndefined();
  expect(second.noteSent('a')).toBe(true);
  second.close();
  const third = open();
  expect(third.firstSentAt('a')).toBe(NOON + 5_000);
  third.close();
});

test('the import keeps its ID if the file changes', () => {
  open(NOON, 'before').close();
  const journal = open(NOON, 'after');
  expect(journal.importId).toBe('before');
  journal.close();
});

test('a truncated line is ignored, and does not affect the next one', () => {
  const first = open();
  first.noteAdded('a', 1);
  first.close();
  appendFileSync(path, '{"added":"b"');
  const second = open();
  expect([second.wasAdded('a'), second.wasAdded('b')]).toEqual([true, false]);
  second.noteAdded('c', 3);
  second.close();
  const third = open();
  expect(third.wasAdded('c')).toBe(true);
  third.close();
});

test('another file is not used as a journal, and is not changed', () => {
  writeFileSync(path, 'name,categoryId\n');
  expect(() => open()).toThrow('is not an import journal');
});

test('a journal that cannot be written is reported with its path', () => {
  expect(() => openJournal(join(folder, 'none', 'journal'), 'hash', () => NOON)).toThrow('cannot be used (ENOENT)');
});
