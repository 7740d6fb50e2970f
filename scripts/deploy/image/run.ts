import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, constants, copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BuiltImage } from './build.ts';
import { entriesIn } from './entries.ts';

/** Whoever runs the tests, if not root; otherwise `nobody`, who owns nothing. */
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};

export type ImageProcess = { child: ChildProcess; output: () => string; ended: Promise<number | null> };

/**
 * Takes the right to write from everybody, but for the data: what a read-only file system and a user without rights leave.
 *
 * @returns a function that runs a command of the image as that user, with the environment of the image
 */
export function sealImage({ folder, environment }: BuiltImage) {
  // Where the base image has Node, readable by all.
  const node = join(dirname(folder), 'node');
  copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE);
  chmodSync(dirname(folder), 0o755);
  for (const { path, entry } of entriesIn(folder)) {
    if (!entry.isSymbolicLink()) chmodSync(path, entry.isDirectory() ? 0o555 : 0o444);
  }
  const data = join(folder, 'data');
  chmodSync(data, 0o755);
  if (isRoot) chownSync(data, 65_534, 65_534);
  chmodSync(folder, 0o555);

  return (command: readonly string[], settings: Record<string, string> = {}): ImageProcess => {
    const [program = '', ...parameters] = command;
    const env = { ...environment, ...settings };
    const executable = program === 'node' ? node : program;
    const child = spawn(executable, parameters, { ...user, cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (text += bytes));
    const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    return { child, output: () => text, ended };
  };
}
