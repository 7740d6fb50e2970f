import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packPackages } from '../../../tooling/src/release/packages.ts';
import { installTarballs } from '../../../tooling/test/tarballs.ts';

const consumers = join(import.meta.dirname, '../consumers');
const installed = join(import.meta.dirname, '../../node_modules');

/** The client as it would be published now, and projects that use it. */
export type PackedClient = {
  tarball: Buffer<ArrayBuffer>;
  /** The folder of a project of test/consumers in which the tarball is installed. */
  project: (name: string) => string;
  remove: () => void;
};

/**
 * Packs the client, and installs the tarball with npm for a copy of each project. All need the same packages, so one installation
 * is enough.
 */
export async function packClient(): Promise<PackedClient> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'consumers-')));
  const project = (name: string) => join(folder, name);
  const [file = ''] = packPackages(['client'], join(folder, 'packed'));
  const user = join(folder, 'user');
  mkdirSync(user);
  await installTarballs([file], user);
  for (const name of readdirSync(consumers)) {
    cpSync(join(consumers, name), project(name), { recursive: true });
    cpSync(join(user, 'node_modules'), join(project(name), 'node_modules'), { recursive: true });
  }
  return { tarball: readFileSync(file), project, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Replaces packages of a project by ones that are installed here.
 *
 * @param names the name in the project, and the name of the package here
 */
export function linkPackages(project: string, names: Record<string, string>): void {
  for (const [name, here] of Object.entries(names)) {
    const place = join(project, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    rmSync(place, { force: true });
    symlinkSync(realpathSync(join(installed, here)), place, 'junction');
  }
}

/**
 * Runs a version of Node in a project, with only the given environment variables. Rejects with its output if it fails.
 */
export async function runNode(
  node: string,
  project: string,
  parameters: string[],
  environment: Record<string, string> = {},
): Promise<{ stdout: string; stderr: string }> {
  try {
    return await promisify(execFile)(node, parameters, { cwd: project, env: environment });
  } catch (error) {
    const { message, stdout } = Object(error);
    // Compilers write to `stdout`, which the message leaves out.
    throw new Error(`${message}\n${stdout}`);
  }
}
