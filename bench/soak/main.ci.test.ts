import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

function soak(...parameters: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...parameters], { encoding: 'utf8' });
}

test('a short soak reports memory, handles and latency, and finds every response correct', () => {
  const { status, stdout, stderr } = soak('--minutes', '0.05', '--rate', '200');
  expect(stderr).toBe('');
  expect(stdout).toMatch(/minutes +requests +heap +resident +open\n( +[\d.]+ +\d+ +[\d.]+ MiB +[\d.]+ MiB +\d+\n){20}/);
  for (const kind of ['list', 'create', 'get', 'unknown key'])
    expect(stdout).toMatch(new RegExp(`^${kind} .* \\d`, 'm'));
  expect(stdout).toContain('create 201');
  expect(stdout).not.toContain('responses were wrong');
  expect([0, 1]).toContain(status);
}, 600_000);

test('--help describes the run, and a wrong number is rejected', () => {
  expect(soak('--help').stdout).toContain('--minutes');
  const { status, stderr } = soak('--rate', 'fast');
  expect(status).toBe(2);
  expect(stderr).toBe('--rate must be a number greater than 0, not "fast". See npm run soak -- --help\n');
});
