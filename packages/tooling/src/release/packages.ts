import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'yaml';
import { dig, entriesOf } from '../common/json.ts';
import type { Impact } from '../diff/change.ts';
import { project, root } from '../project.ts';
import { stagePackage } from './stage.ts';

/** The published packages, each after its dependencies: those of an API, and in this repository also those that serve any. */
export const publishedPackages = [
  ...['contract', 'client'],
  ...['service', 'client-core', 'testing', 'tooling', 'create', 'redis', 'sandbox'],
].filter((name) => existsSync(join(root, 'packages', name)));

/** The packages that have the version of the release. */
export const numberedPackages = globSync('packages/*/package.json', { cwd: root }).map((file) =>
  basename(dirname(file)),
);

/** The folders of the packages that can be built, and so packed. */
export function packablePackages(): string[] {
  return numberedPackages.filter((name) => dig(manifestOf('packages', name), 'scripts', 'build') !== undefined).sort();
}

const tarballs = join(root, 'dist/packages');

/** Runs changesets, which sets the version of the packages, writes their changelogs, and deletes the changesets. */
export function versionPackages(version: string): void {
  const cli = join(root, 'node_modules/@changesets/cli/bin.js');
  execFileSync(process.execPath, [cli, 'version'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const wrong = numberedPackages.filter((name) => dig(manifestOf('packages', name), 'version') !== version);
  if (wrong.length > 0) throw new Error(`changesets did not set ${wrong.join(', ')} to ${version}.`);
}

/**
 * Builds packages and packs them into a folder, with the version in their package.json or another one. Returns the tarballs in the
 * order in which to publish them.
 */
export function packPackages(
  names: readonly string[] = publishedPackages,
  folder = tarballs,
  version?: string,
): string[] {
  using _lock = packOneAtATime();
  // The default folder keeps no tarballs of other versions.
  if (folder === tarballs) rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return names.map((name) => {
    run('npm', ['run', '--silent', 'build'], join(root, 'packages', name), `packages/${name} could not be built`);
    const staged = join(root, 'dist/staged', name);
    stagePackage(name, staged, version);
    const packed = run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      staged,
      `packages/${name} could not be packed`,
    );
    rmSync(staged, { recursive: true });
    return join(folder, String(dig(JSON.parse(packed), '0', 'filename')));
  });
}

/** Builds write into the folders of the packages. Waits for other processes that pack; the system frees the lock if one is killed. */
function packOneAtATime(): Disposable {
  const folder = join(root, 'node_modules/.cache');
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'packing.db'), { timeout: 300_000 });
  database.exec('BEGIN EXCLUSIVE');
  return { [Symbol.dispose]: () => database.close() };
}

function run(command: string, parameters: string[], cwd: string, failure: string): string {
  const options = { cwd, encoding: 'utf8', shell: process.platform === 'win32' } as const;
  // spawnSync would say that it cannot find the command.
  accessSync(cwd);
  const { status, stdout, stderr } = spawnSync(command, parameters, options);
  if (status !== 0) throw new Error(`${failure}:\n${stdout}${stderr}`);
  return stdout;
}

function manifestOf(...folders: string[]): unknown {
  return JSON.parse(readFileSync(join(root, ...folders, 'package.json'), 'utf8'));
}

/** One file of .changeset/: the packages of a change, and its size for each. */
export type Changeset = { file: string; bumps: Record<string, Impact> };

const impacts: readonly string[] = ['major', 'minor', 'patch'] satisfies Impact[];

/** The changes of the next release. Throws if a file does not have the format of changesets. */
export function readChangesets(folder: string): Changeset[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return files.sort().map((file) => {
    const [, head = ''] = /^---\n(.*?)\n?---\n/s.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
    const bumps = Object.fromEntries(entriesOf(parse(head)).filter(isBump));
    if (Object.keys(bumps).length === 0) throw new Error(`.changeset/${file} does not name a package and its bump.`);
    return { file, bumps };
  });
}

/** Adds the changeset that raises all packages, which share a version, to that of the contract. */
export function writeContractChangeset(folder: string, version: string, bump: Impact, text: string): void {
  const name = `contract-${version}.md`;
  writeFileSync(join(folder, name), `---\n'${project.contractPackage}': ${bump}\n---\n\n${text}\n`);
}

function isBump(entry: [string, unknown]): entry is [string, Impact] {
  return impacts.includes(String(entry[1]));
}
