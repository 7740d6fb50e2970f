import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { canHavePostgres } from '../../packages/testing/src/postgres/in-tests.ts';

const script = join(import.meta.dirname, 'main.ts');

// Each run starts several servers. The limit only ends runs that hang.
jest.setTimeout(600_000);

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

const testOnPostgres = canHavePostgres() ? test : test.skip;

testOnPostgres('a short run on PostgreSQL also measures its processor time, commits and round trips', () => {
  const output = mkdtempSync(join(tmpdir(), 'animal-store-bench-'));
  try {
    const quick = ['--rounds', '1', '--seconds', '0.2', '--connections', '4', '--output', output];
    const measured = ['get, 5,000 keys', 'create, two processes'].flatMap((workload) => ['--only', workload]);
    const run = bench('--engine', 'postgres', ...measured, '--against', 'Fastify, lean', ...quick);
    expect(run).toMatchObject({ status: 0, stderr: expect.stringContaining('two processes: round trips') });
    expect(run.stdout).toMatch(/All servers stored in PostgreSQL \d+\.\d+.* counted requests in PostgreSQL\./);
    const goal = (text: string) => expect(run.stdout).toContain(`| ${text} | `);
    goal('get, 5,000 keys | Fastify, lean | ≥ 0.95');
    goal('get, 5,000 keys: p99 | Fastify, lean | ≤ 1.3');
    goal('get, 5,000 keys: commits that write |  | ≤ 0.1');
    goal('create, two processes | Fastify, lean | ≥ 1.5');
    goal('create, two processes: round trips |  | ≤ 2');
    // Each row has a number in every column, except for the ratio of the lean peer to itself.
    const rows = run.stdout
      .split('\n')
      .filter((line) => /^\| (get|create).* \| (Animal Store|Fastify, lean) \| [\d,]+ \|/.test(line));
    expect(
      rows.map((row) =>
        row
          .split(' | ')
          .slice(4)
          .join(' ')
          .replaceAll(/[\d.]+/g, 'N'),
      ),
    ).toEqual(Array.from({ length: 4 }, () => 'N N N N N N |'));

    const [file = ''] = readdirSync(output);
    const { samples, roundTrips } = JSON.parse(readFileSync(join(output, file), 'utf8'));
    const [creation] = samples['create, two processes']['Fastify, lean'];
    // The lean peer commits each creation on its own and sends one statement; a get writes nothing.
    expect(creation.commits).toBeCloseTo(1, 1);
    expect(creation.databaseCpu).toBeGreaterThan(5);
    expect(creation.databaseCpu).toBeLessThan(10_000);
    expect(samples['get, 5,000 keys']['Fastify, lean'][0].commits).toBeLessThan(0.05);
    expect(roundTrips['create, two processes']['Fastify, lean']).toBeCloseTo(1, 1);
    expect(roundTrips['get, 5,000 keys']['Animal Store']).toBeGreaterThan(0);
  } finally {
    rmSync(output, { recursive: true });
  }
});

test('--help lists workloads and peers, and wrong options are rejected', () => {
  const help = bench('--help');
  expect(help).toMatchObject({ status: 0, stderr: '' });
  for (const word of [
    'list, random pages, 5 % writes',
    'Express 5 + validator',
    '--smoke',
    'get, 5,000 keys',
    '--engine',
  ])
    expect(help.stdout).toContain(word);

  for (const wrong of [
    ['--only', 'nothing'],
    ['--against', 'Perl'],
    ['--rounds', '0'],
    ['--record', '--smoke'],
    ['--engine', 'oracle'],
    ['--redis'],
    ['--only', 'get, 5,000 keys'],
    ['--engine', 'postgres', '--against', 'node:http'],
    ['--colour'],
  ]) {
    const { status, stderr, stdout } = bench(...wrong);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('See npm run bench -- --help');
  }
});
