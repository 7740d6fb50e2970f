import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { canHavePostgres } from '../packages/testing/src/postgres/in-tests.ts';

const script = join(import.meta.dirname, 'main.ts');

// Each run starts several servers. The limit only ends runs that hang.
jest.setTimeout(600_000);

function bench(...parameters: string[]) {
  return spawnSync(process.execPath, [script, ...parameters], { encoding: 'utf8' });
}

/** A short run, and the figures that it wrote. */
function quickly(...parameters: string[]) {
  const output = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  try {
    const quick = ['--rounds', '1', '--seconds', '0.05', '--connections', '2', '--rows', '1000', '--operations', '20'];
    const run = bench(...parameters, ...quick, '--output', output);
    expect(run).toMatchObject({ status: 0 });
    const [file = ''] = readdirSync(output);
    return { ...run, results: JSON.parse(readFileSync(join(output, file), 'utf8')) };
  } finally {
    rmSync(output, { recursive: true });
  }
}

const number = expect.any(Number);
const sample = { rate: number, p50: number, p99: number, cpu: number };

test('a short run measures a workload, growth and starts, prints tables and writes its figures', () => {
  const workload = 'get by random id';
  const figures = [workload, 'last operation', 'start'].flatMap((figure) => ['--only', figure]);
  const { stdout, stderr, results } = quickly(...figures);
  expect(stderr).toContain('reads: round 1 of 1');
  expect(stdout).toMatch(/\| get by random id \| ≥ 1 \| [\d.]+ \([\d.]+ to [\d.]+\) \| (yes|\*\*no\*\*) \|/);
  expect(stdout).toMatch(/\| last operation ÷ first \| ≥ 0.95 \| [\d.]+ /);
  expect(stdout).toMatch(/\| resident memory \| ≤ 1.3 \| [\d.]+ /);
  expect(results).toMatchObject({ lastOperation: [number], starts: [number] });
  expect(results.samples).toEqual({ [workload]: { own: [sample], peer: [sample] } });
});

const testOnPostgres = canHavePostgres() ? test : test.skip;

testOnPostgres('a short run on PostgreSQL measures many keys', () => {
  const { stdout, results } = quickly('--engine', 'postgres', '--only', 'get, 5,000 keys');
  expect(stdout).toContain('| get, 5,000 keys | ≥ 0.65 | ');
  expect(stdout).toContain('| get, 5,000 keys: p99 | ≤ 1.2 | ');
  expect(results.samples).toEqual({ 'get, 5,000 keys': { own: [sample], peer: [sample] } });
});

test('--help lists the figures, and wrong options are rejected', () => {
  const help = bench('--help');
  expect(help).toMatchObject({ status: 0, stderr: '' });
  for (const word of ['list, random pages, 5 % writes', 'get, 5,000 keys', '--smoke', '--engine']) {
    expect(help.stdout).toContain(word);
  }
  for (const wrong of [
    ['--only', 'nothing'],
    ['--rounds', '0'],
    ['--record', '--smoke'],
    ['--engine', 'oracle'],
    ['--only', 'get, 5,000 keys'],
    ['--colour'],
  ]) {
    const { status, stderr, stdout } = bench(...wrong);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('See npm run bench -- --help');
  }
});
