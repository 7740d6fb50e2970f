import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** The working directory of the command, with its databases; deleted after the tests of the file. */
export const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

export type Ended = { code: number | null; out: string; note: string };

/** Runs the command as users do. `until` gets the output so far and decides when to kill the command. */
export function runMove(
  args: string[],
  until: (note: string) => boolean = () => false,
  environment: Record<string, string> = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../src/main.ts'), 'move', ...args], {
    cwd: folder,
    env: environment,
  });
  const ended: Ended = { code: null, out: '', note: '' };
  child.stdout.on('data', (text) => {
    ended.out += text;
  });
  child.stderr.on('data', (text) => {
    ended.note += text;
    if (until(ended.note)) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ended, code })));
}
