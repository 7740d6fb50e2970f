import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ways } from './ways/index.ts';

const small = ['--processes', '20', '--keys', '10', '--minutes', '0.2', '--outage', '1'];

function simulate(...parameters: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...parameters], {
    encoding: 'utf8',
  });
}

test('simulate:limiter shows how far it is, and a row for each way; the same one for the same seed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-simulation-'));
  try {
    const file = join(folder, 'numbers.json');
    const { status, stdout, stderr } = simulate(...small, '--json', file);
    expect(status).toBe(0);
    expect(stderr).toContain(`${ways.length}/${ways.length} ${ways.at(-1)?.title} … `);
    for (const { title } of ways) expect(stdout.split(`\n| ${title} |`)).toHaveLength(3);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ options: { processes: 20, seed: 1 } });
    expect(simulate(...small).stdout).toBe(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('simulate:limiter --help names each option, and a wrong number is refused', () => {
  expect(simulate('--help').stdout).toMatch(/--processes .*--seed /s);
  const { status, stderr } = simulate('--keys', 'many');
  expect(status).toBe(2);
  expect(stderr).toBe('--keys must be a number above 0, not "many". See npm run simulate:limiter -- --help\n');
});
