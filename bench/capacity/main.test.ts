import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { canHavePostgres } from '../../packages/server/test/postgres/in-tests.ts';
import { documentFile, withTables } from './document/document.ts';
import { readRun } from './run.ts';

const quick = ['--animals', '2000,4000,8000', '--keys', '10,100,1000', '--rounds', '1', '--seconds', '0.05'];

function capacity(...parameters: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...parameters], { encoding: 'utf8' });
}

describe('bench:capacity', () => {
  (canHavePostgres() ? it : it.skip)('measures each part, writes the numbers down, and the tables from them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-capacity-test-'));
    const [numbers, text] = [join(folder, 'run.json'), join(folder, 'capacity.md')];
    copyFileSync(documentFile, text);
    try {
      const written = ['--folder', folder, '--output', numbers, '--document', text];
      const { status, stderr } = capacity(...quick, '--minutes', '0.1', ...written);
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('measuring reads') });

      const run = readRun(numbers);
      expect(run.requests.list?.server.median).toBeGreaterThan(run.requests.bare?.server.median ?? Number.NaN);
      expect(run.catalogues.map(({ engine, animals }) => `${engine} ${animals}`).toSorted()).toEqual(
        ['PostgreSQL', 'SQLite'].flatMap((engine) => [2_000, 4_000, 8_000].map((animals) => `${engine} ${animals}`)),
      );
      expect(readFileSync(text, 'utf8')).toBe(withTables(readFileSync(documentFile, 'utf8'), run));
      // The databases are gone.
      expect(readdirSync(folder).toSorted()).toEqual(['capacity.md', 'run.json']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('--render writes the tables of the numbers that are there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-capacity-test-'));
    const text = join(folder, 'capacity.md');
    copyFileSync(documentFile, text);
    try {
      expect(capacity('--render', '--document', text).status).toBe(0);
      expect(readFileSync(text, 'utf8')).toBe(readFileSync(documentFile, 'utf8'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('--help tells what it does, and wrong numbers are refused', () => {
    expect(capacity('--help').stdout).toContain('--render');
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-capacity-test-'));
    const { status, stderr } = capacity('--animals', '10,100', '--folder', folder);
    expect(status).toBe(2);
    expect(stderr).toBe(
      '--animals must be three whole numbers, such as 10,100,1000, not "10,100". See npm run bench:capacity -- --help\n',
    );
    expect(capacity('--rounds', '0', '--folder', folder).status).toBe(2);
    // Nothing was begun: this fails where something is in it.
    rmdirSync(folder);
  });
});
