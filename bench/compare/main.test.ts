import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../scripts/root.ts';

const quick = ['--rounds', '1', '--seconds', '0.05', '--connections', '2'];

const script = join(import.meta.dirname, 'main.ts');

function bench(...parameters: string[]) {
  return spawnSync(process.execPath, [script, ...parameters], { encoding: 'utf8' });
}

test('a short run measures a work on our server and on a peer, prints tables and writes its figures down', () => {
  const output = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  try {
    const work = 'get by random id';
    const { status, stdout, stderr } = bench('--only', work, '--against', 'Fastify', ...quick, '--output', output);
    expect(status).toBe(0);
    expect(stderr).toContain('reads: round 1 of 1');
    expect(stdout).toMatch(
      /\| get by random id \| Fastify \| ≥ 1 \| [\d.]+ \([\d.]+ to [\d.]+\) \| (yes|\*\*no\*\*) \|/,
    );
    expect(stdout).toContain('| get by random id | Animal Store |');

    const [file = ''] = readdirSync(output);
    const { samples } = JSON.parse(readFileSync(join(output, file), 'utf8'));
    const sample = {
      rate: expect.any(Number),
      p50: expect.any(Number),
      p99: expect.any(Number),
      cpu: expect.any(Number),
    };
    expect(samples).toEqual({ [work]: { 'Animal Store': [sample], Fastify: [sample] } });
  } finally {
    rmSync(output, { recursive: true });
  }
});

test('memory is measured after the requests of many keys', () => {
  const output = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  try {
    const few = [
      '--only',
      'list, hot page',
      '--memory',
      '1',
      '--requests',
      '20',
      '--keys',
      '10',
      '--against',
      'Fastify',
    ];
    const { status, stdout } = bench(...few, ...quick, '--output', output);
    expect(status).toBe(0);
    expect(stdout).toMatch(/\| memory after all keys \| Fastify \| ≤ 1.3 \| [\d.]+ /);
  } finally {
    rmSync(output, { recursive: true });
  }
});

test('ends at once by Ctrl-C, and leaves neither data nor servers behind', async () => {
  const before = dataFolders();
  const child = spawn(process.execPath, [
    script,
    '--only',
    'list, hot page',
    '--against',
    'Fastify',
    '--seconds',
    '60',
  ]);
  try {
    let made: string[] = [];
    for await (const text of child.stderr.setEncoding('utf8')) {
      if (!String(text).includes('warming up')) continue;
      made = dataFolders().filter((name) => !before.includes(name));
      child.kill('SIGINT');
      break;
    }
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(130);
    expect(made).toHaveLength(1);
    expect(dataFolders()).not.toContain(made[0]);
  } finally {
    child.kill('SIGKILL');
  }
});

function dataFolders(): string[] {
  const folder = join(root, 'dist/bench');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('data-')) : [];
}

test('what cannot be measured is refused, and --help names all there is', () => {
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
