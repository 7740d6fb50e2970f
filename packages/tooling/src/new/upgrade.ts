import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gt, minVersion } from 'semver';
import { dig, entriesOf } from '../common/json.ts';
import { readIfThere } from '../common/write-changed.ts';
import { type Contract, without } from '../contract/parse.ts';
import { compareContracts } from '../diff/check.ts';
import { type Adopted, adopt } from '../effective/adopt.ts';
import { readSettings } from '../settings/settings.ts';
import { supportFiles } from './api-files.ts';
import type { Machinery } from './machinery.ts';

/** What an upgrade changed, and what the team of the project has to look at; one line each. */
export type Upgrade = {
  /** The packages with another version. */
  versions: string[];
  /** The changes of the published contract. */
  contract: string[];
  /** Operations that are no longer served, and those of leftOut that can be. */
  operations: string[];
  /** Files that a new project has in another form. */
  files: string[];
};

/**
 * Replaces the packages that serve any API in a project, and raises the libraries that they need. Changes package.json, the lockfile and
 * vendor/, nothing else.
 *
 * @param folder a project that `npm run new -- api` has written
 * @throws Error if it is no such project, or nothing of its contract can be served; then nothing is written
 */
export async function upgradeProject(folder: string, machinery: Machinery): Promise<Upgrade> {
  const manifest = manifestOf(folder);
  const name = String(dig(manifest, 'name'));
  const adopted = adopt(join(folder, 'openapi.yaml'), name);
  const { leftOut = [] } = readSettings(folder);
  const contract = await contractChanges(folder, adopted, leftOut);
  return {
    versions: replacePackages(folder, manifest, machinery),
    contract,
    operations: operationChanges(adopted, leftOut),
    files: Object.entries(supportFiles(name, adopted)).flatMap(([file, text]) => {
      const own = readIfThere(join(folder, file));
      return own === text ? [] : [own === undefined ? `${file}, which is missing` : file];
    }),
  };
}

type Manifest = { devDependencies: Record<string, string> };

function manifestOf(folder: string): Manifest {
  const file = join(folder, 'package.json');
  const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (dig(manifest, 'devDependencies', '@contract-first/service') !== undefined) return manifest;
  throw new Error(
    `${folder} is not a project that these packages serve: its package.json does not install @contract-first/service.`,
  );
}

/** What callers of the API see of the other version. */
async function contractChanges(folder: string, { document }: Adopted, leftOut: readonly string[]): Promise<string[]> {
  const published = readIfThere(join(folder, 'packages/contract/src/generated/openapi.json'));
  if (published === undefined) return [];
  const inMemory = (part: unknown): Contract => ({ file: 'openapi.yaml', document: part, lineOf: () => 1 });
  const current = inMemory(without(document, leftOut));
  const { stable } = await compareContracts(inMemory(JSON.parse(published)), current, new Date());
  const seen = stable.filter(({ impact }) => impact !== 'patch');
  return seen
    .toSorted((one, other) => one.impact.localeCompare(other.impact))
    .map(({ impact, at, message }) => `${impact === 'major' ? 'breaking' : 'compatible'}: ${at}: ${message}`);
}

function operationChanges({ refused, served }: Adopted, leftOut: readonly string[]): string[] {
  return [
    ...refused
      .filter(({ operation }) => !leftOut.includes(operation))
      .map(
        ({ operation, reason }) =>
          `${operation} is no longer served: ${reason} Or add it to leftOut in contract-first.yaml.`,
      ),
    ...leftOut
      .filter((operation) => served.includes(operation))
      .map((operation) => `${operation} can be served now. Remove it from leftOut in contract-first.yaml.`),
  ];
}

/** Returns a line for each package with another version. */
function replacePackages(folder: string, manifest: Manifest, { tarballs, libraries }: Machinery): string[] {
  const { devDependencies: installed } = manifest;
  const vendor = join(folder, 'vendor');
  mkdirSync(vendor, { recursive: true });
  const changed: string[] = [];
  const set = (name: string, version: string) => {
    if (installed[name] === version) return;
    changed.push(`${name}: ${installed[name] ?? 'new'} -> ${version}`);
    installed[name] = version;
  };
  for (const [name, tarball] of Object.entries(tarballs)) {
    const [, before] = /^file:(vendor\/.+)$/.exec(installed[name] ?? '') ?? [];
    if (before !== undefined) rmSync(join(folder, before), { force: true });
    cpSync(tarball, join(vendor, basename(tarball)));
    set(name, `file:vendor/${basename(tarball)}`);
  }
  for (const [name, version] of Object.entries(libraries)) {
    const own = minVersion(installed[name] ?? '0.0.0');
    const wanted = minVersion(version);
    // A team may have a newer one already.
    if (own === null || wanted === null || gt(wanted, own)) set(name, version);
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  forgetPackages(folder, Object.keys(tarballs));
  return changed;
}

/** The lockfile has the checksums of the tarballs before. */
function forgetPackages(folder: string, names: readonly string[]): void {
  const file = join(folder, 'package-lock.json');
  const text = readIfThere(file);
  if (text === undefined) return;
  const lock: { packages?: Record<string, unknown> } = JSON.parse(text);
  const locked = entriesOf(lock.packages).filter(([path]) => !names.some((name) => path === `node_modules/${name}`));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(locked) }, null, 2)}\n`);
}

/** The lines of each part that are printed. */
const MOST = 20;

/** The upgrade for people, with the next steps. */
export function upgradeText(folder: string, { versions, contract, operations, files }: Upgrade): string {
  const part = (title: string, lines: readonly string[]) =>
    lines.length === 0
      ? []
      : [
          title,
          ...lines.slice(0, MOST).map((line) => `  ${line}`),
          ...(lines.length > MOST ? [`  and ${lines.length - MOST} more`] : []),
          '',
        ];
  return [
    ...part('Other versions:', versions),
    ...part('Operations:', operations),
    ...part('Changes of the contract that callers see:', contract),
    ...part(
      'A new project has these files in another form. If npm test fails in one, take over what changed, from a new project:',
      files,
    ),
    'Next steps:',
    `  1. cd ${folder}`,
    '  2. npm install',
    '  3. npm test           generates, checks the types, and calls every operation without code',
    '  4. npm run diff       compares the contract with your last release',
    '  5. npm start          the server adds its own migrations to your database. Back it up before that in production',
  ].join('\n');
}
