import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { openReader, openWriter } from './connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'field-notes-'));
afterAll(() => rmSync(folder, { recursive: true }));

function settingsOf(database: DatabaseSync) {
  const ask = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  return Object.fromEntries(
    ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map((name) => [name, ask(name)]),
  );
}

test('the writer syncs at each commit, waits for locks and checks foreign keys', async () => {
  const writer = await openWriter(join(folder, 'settings.db'));
  // 2 is FULL.
  expect(settingsOf(writer)).toEqual({ journal_mode: 'wal', synchronous: 2, foreign_keys: 1, busy_timeout: 5_000 });
  writer.close();
});

test('the reader cannot write', async () => {
  const path = join(folder, 'reader.db');
  const writer = await openWriter(path);
  const reader = openReader(path);
  expect(settingsOf(reader)).toMatchObject({ journal_mode: 'wal', busy_timeout: 5_000 });
  expect(() => reader.exec('CREATE TABLE notes (text TEXT)')).toThrow('readonly');
  reader.close();
  writer.close();
});

test('opening waits for another process that sets up the same new file', async () => {
  const path = join(folder, 'contended.db');
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const opening = openWriter(path);
  await setTimeout(20);
  other.exec('COMMIT');
  other.close();
  (await opening).close();
});
