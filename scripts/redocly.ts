import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './root.ts';

export type RedoclyRun = { exitCode: number; stdout: string; stderr: string };

const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js');

/** Runs the Redocly CLI in the project's folder. It calls nobody: no telemetry, no look for a newer version. */
export function runRedocly(...args: string[]): RedoclyRun {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [cli, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw error;
  return { exitCode: status ?? 1, stdout, stderr };
}
