import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { leaveOut } from './left-out.ts';

const before = process.env['CONTRACT_FIRST_LEFT_OUT'];

afterEach(() => {
  if (before === undefined) delete process.env['CONTRACT_FIRST_LEFT_OUT'];
  else process.env['CONTRACT_FIRST_LEFT_OUT'] = before;
});

test('adds a line for each check to the file of the test runner', () => {
  const folder = mkdtempSync(join(tmpdir(), 'field-notes-left-out-'));
  try {
    const file = join(folder, 'left-out.txt');
    process.env['CONTRACT_FIRST_LEFT_OUT'] = file;
    leaveOut('docs in a browser', 'install Chromium (apt-get install chromium)');
    leaveOut('storage on PostgreSQL', 'set TEST_POSTGRES_URL');
    expect(readFileSync(file, 'utf8')).toBe(
      'docs in a browser: install Chromium (apt-get install chromium)\nstorage on PostgreSQL: set TEST_POSTGRES_URL\n',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('writes nothing without a test runner', () => {
  delete process.env['CONTRACT_FIRST_LEFT_OUT'];
  expect(() => leaveOut('docs in a browser', 'install Chromium')).not.toThrow();
});
