import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from '@jest/globals';

const cli = fileURLToPath(new URL('../cli.ts', import.meta.url));

/** The working directory of the command, with its databases; deleted after the tests of the file. */
export const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
afterAll(() => rmSync(folder, { recursive: true }));

let databases = 0;

/** The URL of a database that does not exist yet. */
export function freshDatabaseUrl(): string {
  databases += 1;
  return `sqlite:${join(folder, `${databases}`, 'keys.db')}`;
}

export type Result = { code: number | null; out: string; note: string };

/** Runs the command in a separate process, as npm does. */
export function runProcess(args: string[], environment: Record<string, string>): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  // Stripping the types only once lets a process start in a third of the time.
  const env = { NODE_COMPILE_CACHE: join(folder, 'cache'), ...environment };
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env });
  const result: Result = { code: null, out: '', note: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    result.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    result.note += text;
  });
  child.on('close', (code) => resolve({ ...result, code }));
  return promise;
}
