import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const quick = ['--operations', '12', '--rounds', '1', '--seconds', '0.05', '--connections', '2'];

describe('bench:growing', () => {
  it('measures a grown contract, prints a table and writes it down', () => {
    const output = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
    try {
      const script = join(import.meta.dirname, 'main.ts');
      const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...quick, '--output', output], {
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain('| Get: last against first |');

      const [file = ''] = readdirSync(output);
      const { operations, rates } = JSON.parse(readFileSync(join(output, file), 'utf8'));
      expect(operations.large).toBeGreaterThanOrEqual(12);
      expect(rates.listPets).toEqual({ small: [expect.any(Number)], large: [expect.any(Number)] });
    } finally {
      rmSync(output, { recursive: true });
    }
  }, 60_000);
});
