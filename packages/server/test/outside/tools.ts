import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { readIfThere } from '../../../tooling/src/common/write-changed.ts';
import { root } from '../../../tooling/src/project.ts';

/** Where the tools are installed and run. Nothing of it belongs to the workspace. */
export const toolsFolder = join(root, 'dist/outside-tools');

const manifests = ['package.json', 'package-lock.json'];
const listed = join(import.meta.dirname, 'tools');

/** A server of the contract, with a key that may write and whose quota is never used up. */
export type Subject = { url: string; key: string };

/** One tool, or several that only make sense together. */
export type Check = {
  /** The packages of the tool, the most important one first. */
  packages: readonly string[];
  /** What the tool cannot do with this contract, as a sentence. */
  lacks?: string;
  /**
   * Runs the tool.
   *
   * @param folder an empty folder for what it writes
   * @returns what the tool showed, as a sentence
   * @throws Error that says what failed
   */
  run: (subject: Subject, folder: string) => Promise<string>;
};

/** Installs the tools with the versions in tools/package-lock.json and without install scripts, unless they are installed. */
export async function installTools(): Promise<void> {
  const installed = join(toolsFolder, 'node_modules/.package-lock.json');
  const isCurrent = manifests.every((name) => readIfThere(join(toolsFolder, name)) === readIfThere(join(listed, name)));
  if (isCurrent && existsSync(installed)) return;
  rmSync(toolsFolder, { recursive: true, force: true });
  mkdirSync(toolsFolder, { recursive: true });
  for (const name of manifests) copyFileSync(join(listed, name), join(toolsFolder, name));
  const parameters = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await runCommand('npm', parameters, { folder: toolsFolder, timeout: 600_000 });
}

/** The version of a package, from the tools or from this workspace. */
export function versionOf(name: string): string {
  const folder = [toolsFolder, root].find((one) => existsSync(join(one, 'node_modules', name, 'package.json')));
  if (folder === undefined) throw new Error(`${name} is not installed.`);
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
  );
  return version;
}

/** The command of a tool. */
export function commandOf(name: string): string {
  return join(toolsFolder, 'node_modules/.bin', name);
}

type Options = { folder: string; environment?: Record<string, string>; timeout?: number };

/**
 * Runs a command to its end, by default for at most two minutes. Resolves to its standard output; rejects with all that it printed
 * if it fails.
 *
 * @param options `mayReport` also accepts the exit code 1, with which tools report findings
 */
export async function runCommand(
  command: string,
  parameters: readonly string[],
  { mayReport = false, ...options }: Options & { mayReport?: boolean },
): Promise<string> {
  const { child, output } = startCommand(command, parameters, { timeout: 120_000, ...options });
  let stdout = '';
  child.stdout.on('data', (bytes) => {
    stdout += bytes;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0 || (mayReport && code === 1)) return stdout;
  throw new Error(`${[command.split('/').at(-1), ...parameters].join(' ')} ended with ${code}:\n${output()}`);
}

/** Starts a command. `output` returns what it has printed so far, errors included. */
export function startCommand(
  command: string,
  parameters: readonly string[],
  { folder, environment = {}, timeout }: Options,
): { child: ChildProcessByStdio<null, Readable, Readable>; output: () => string } {
  const child = spawn(command, parameters, {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(timeout === undefined ? {} : { timeout }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes;
    });
  }
  return { child, output: () => output };
}
