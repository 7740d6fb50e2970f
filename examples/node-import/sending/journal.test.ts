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

test('a later run knows what was sent first and when, and what was added', () => {
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

test('what did nothing is taken back', () => {
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

test('the import keeps its name when the file is changed', () => {
  open(NOON, 'before').close();
  const journal = open(NOON, 'after');
  expect(journal.importId).toBe('before');
  journal.close();
});

test('a line that was cut off says nothing, and does not swallow the next one', () => {
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

test('another file is not taken for a journal, and stays as it is', () => {
  writeFileSync(path, 'name,categoryId\n');
  expect(() => open()).toThrow('is not an import journal');
});

test('a journal that cannot be written is said with its place', () => {
  expect(() => openJournal(join(folder, 'none', 'journal'), 'hash', () => NOON)).toThrow('cannot be used (ENOENT)');
});
