import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { expect } from '@jest/globals';

/** Where steps are run: the project's folder, and what is set there. */
export type Place = { folder: string; environment: Record<string, string> };

/** Runs commands as whoever follows the steps pastes them; all must succeed. Resolves to what they printed. */
export async function runSteps(steps: string, { folder, environment }: Place): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('sh', ['-e', '-c', steps], {
    cwd: folder,
    env: { HOME, PATH: `${dirname(process.execPath)}:${PATH}`, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += bytes));
  child.stderr.on('data', (bytes) => (stderr += bytes));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  expect({ steps, code, stderr: code === 0 ? '' : stderr }).toEqual({ steps, code: 0, stderr: '' });
  return stdout;
}
