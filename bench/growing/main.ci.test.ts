import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

test('a short run grows the contract, measures each kind of operation and prints tables', () => {
  const quick = ['--operations', '12', '--rounds', '1', '--seconds', '0.05', '--connections', '2'];
  const script = join(import.meta.dirname, 'main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...quick], { encoding: 'utf8' });
  expect(stderr).toBe('');
  // A single short round may miss the target.
  expect([0, 1]).toContain(status);
  expect(stdout).toMatch(/\| first request, median \| [\d.]+ ms \|/);
  for (const kind of ['List', 'Create', 'Get', 'Complete'])
    expect(stdout).toMatch(new RegExp(`\\| ${kind} \\| ≥ 0.95 \\| [\\d.]+ `));
}, 600_000);
