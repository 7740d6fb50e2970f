import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const script = join(import.meta.dirname, 'main.ts');

function bench(...parameters: string[]) {
  return spawnSync(process.execPath, [script, ...parameters], { encoding: 'utf8' });
}

test('a short run measures a workload on our server and a peer, prints tables and writes its figures', () => {
  const output = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  try {
    const workload = 'get by random id';
    const quick = ['--rounds', '1', '--seconds', '0.05', '--connections', '2', '--output', output];
    const { status, stdout, stderr } = bench('--only', workload, '--against', 'Fastify, lean', ...quick);
    expect(status).toBe(0);
    expect(stderr).toContain('reads: round 1 of 1');
    expect(stdout).toMatch(
      /\| get by random id \| Fastify, lean \| ≥ 1.1 \| [\d.]+ \([\d.]+ to [\d.]+\) \| (yes|\*\*no\*\*) \|/,
    );
    expect(stdout).toMatch(/\| resident memory \| Fastify, lean \| ≤ 1.3 \| [\d.]+ /);

    const [file = ''] = readdirSync(output);
    const { samples } = JSON.parse(readFileSync(join(output, file), 'utf8'));
    const number = expect.any(Number);
    const sample = { rate: number, p50: number, p99: number, cpu: number };
    expect(samples).toEqual({ [workload]: { 'Animal Store': [sample], 'Fastify, lean': [sample] } });
  } finally {
    rmSync(output, { recursive: true });
  }
});

test('--help lists workloads and peers, and wrong options are rejected', () => {
  const help = bench('--help');
  expect(help).toMatchObject({ status: 0, stderr: '' });
  for (const word of ['list, random pages, 5 % writes', 'Express 5 + validator', '--smoke'])
    expect(help.stdout).toContain(word);

  for (const wrong of [
    ['--only', 'nothing'],
    ['--against', 'Perl'],
    ['--rounds', '0'],
    ['--record', '--smoke'],
    ['--colour'],
  ]) {
    const { status, stderr, stdout } = bench(...wrong);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('See npm run bench -- --help');
  }
});
