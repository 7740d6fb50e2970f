import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packPackages } from '../../../tooling/src/release/packages.ts';
import { installTarballs } from '../../../tooling/test/tarballs.ts';

const installed = join(import.meta.dirname, '../../node_modules');

/** The projects of test/consumers, with what resolves their modules. */
const consumers: Record<string, { type: string; module?: string; moduleResolution?: string; noEmit?: boolean }> = {
  'node-commonjs': { type: 'commonjs' },
  'node-esm': { type: 'module' },
  'sub-paths': { type: 'module', module: 'nodenext', moduleResolution: 'nodenext' },
  'typescript-bundler': { type: 'module', module: 'esnext', moduleResolution: 'bundler' },
  'typescript-nodenext': { type: 'module', module: 'nodenext', moduleResolution: 'nodenext' },
  vite: { type: 'module', module: 'esnext', moduleResolution: 'bundler', noEmit: true },
};

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
  for (const [name, { type, ...resolution }] of Object.entries(consumers)) {
    cpSync(join(import.meta.dirname, '../consumers', name), project(name), { recursive: true });
    cpSync(join(user, 'node_modules'), join(project(name), 'node_modules'), { recursive: true });
    const strict = { types: [], strict: true, skipLibCheck: false, skipDefaultLibCheck: true };
    const compilerOptions = { target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], ...strict, ...resolution };
    writeFileSync(
      join(project(name), 'package.json'),
      JSON.stringify({ name: `consumer-${name}`, private: true, type }),
    );
    writeFileSync(join(project(name), 'tsconfig.json'), JSON.stringify({ compilerOptions }));
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
