import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../project.ts';

export type PnpmResult = { status: number | null; stdout: string; stderr: string };

/** Runs the project's version of pnpm in the workspace. */
export function runPnpm(parameters: readonly string[], environment: NodeJS.ProcessEnv = process.env): PnpmResult {
  const { config }: { config: { pnpm: string } } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { status, stdout, stderr, error } = spawnSync('npx', ['--yes', `pnpm@${config.pnpm}`, ...parameters], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
    shell: process.platform === 'win32',
    env: environment,
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}
