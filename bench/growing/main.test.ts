import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

test('a short run measures a grown contract, prints tables and writes its figures', () => {
  const output = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  try {
    const quick = ['--operations', '12', '--rounds', '1', '--seconds', '0.05', '--connections', '2', '--starts', '1'];
    const script = join(import.meta.dirname, 'main.ts');
    const run = spawnSync(process.execPath, [script, ...quick, '--output', output], { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    // A single short round may miss the target.
    expect([0, 1]).toContain(run.status);
    expect(run.stdout).toMatch(/\| Complete \| ≥ 0.95 \| [\d.]+ /);

    const [file = ''] = readdirSync(output);
    const { operations, firstRequests, rates } = JSON.parse(readFileSync(join(output, file), 'utf8'));
    expect(operations.large).toBeGreaterThanOrEqual(12);
    expect(firstRequests.first).toHaveLength(operations.large - operations.small);
    expect(Object.keys(rates)).toEqual(['List', 'Create', 'Get', 'Complete']);
  } finally {
    rmSync(output, { recursive: true });
  }
}, 60_000);
