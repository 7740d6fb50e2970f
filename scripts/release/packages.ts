import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dig } from '../lint/redocly.ts';
import { root } from '../root.ts';

/** What is published, each after what it needs. */
export const publishedPackages = ['contract', 'client'];

/** What has the number of the release. */
export const numberedPackages = [...publishedPackages, 'server'];

const tarballs = join(root, 'dist/packages');

export function packageVersion(name: string): string {
  return String(dig(manifestOf('packages', name), 'version'));
}

/** Gives the packages their new number and writes their changelogs, by what the changesets say; these are used up. */
export function versionPackages(version: string): void {
  const cli = join(root, 'node_modules/@changesets/cli/bin.js');
  execFileSync(process.execPath, [cli, 'version'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const wrong = numberedPackages.filter((name) => packageVersion(name) !== version);
  if (wrong.length > 0) throw new Error(`changesets did not make ${version} of ${wrong.join(', ')}.`);
}

/** The changelogs of the first release, which needs no changesets. */
export function writeFirstChangelogs(version: string): void {
  for (const name of numberedPackages) {
    const file = join(root, 'packages', name, 'CHANGELOG.md');
    if (existsSync(file)) continue;
    writeFileSync(file, `# ${dig(manifestOf('packages', name), 'name')}\n\n## ${version}\n\nThe first release.\n`);
  }
}

/** Builds packages and packs them into dist/packages/; gives the tarballs, in the order to publish them. */
export function packPackages(names: readonly string[] = publishedPackages): string[] {
  rmSync(tarballs, { recursive: true, force: true });
  mkdirSync(tarballs, { recursive: true });
  return names.flatMap((name) => {
    const before = new Set(readdirSync(tarballs));
    pack(name);
    const packed = readdirSync(tarballs).filter((file) => !before.has(file));
    return packed.map((file) => join(tarballs, file));
  });
}

function pack(name: string): void {
  const pnpm = `pnpm@${dig(manifestOf(), 'config', 'pnpm')}`;
  const { status, stdout, stderr } = spawnSync('npx', ['--yes', pnpm, 'pack', '--pack-destination', tarballs], {
    cwd: join(root, 'packages', name),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`packages/${name} could not be packed:\n${stdout}${stderr}`);
}

function manifestOf(...folders: string[]): unknown {
  return JSON.parse(readFileSync(join(root, ...folders, 'package.json'), 'utf8'));
}
