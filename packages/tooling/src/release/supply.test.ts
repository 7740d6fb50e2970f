import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../project.ts';

const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
const settings = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
const manifests = execFileSync('git', ['ls-files', 'package.json', '*/package.json'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  // The tools of CI have a lockfile of their own.
  .filter((file) => file !== '' && !file.startsWith('.ci/'));

describe('this project', () => {
  test('installs exact versions that are old enough, without their scripts', () => {
    expect(settingsFaults(settings)).toEqual([]);
    expect(Object.keys(settings.catalog).length).toBeGreaterThan(20);
  });

  test.each(manifests)('%s has no install script, and its dependencies are in the catalog', (file) => {
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8'));
    expect(manifestFaults(file, manifest)).toEqual([]);
  });

  test('runs the tools on its own version of Node.js where only an older one is installed', () => {
    const main = readFileSync(join(root, 'packages/tooling/src/main.ts'), 'utf8');
    expect(main).toContain(`const NODE = '${settings.catalog.node}';`);
  });

  test('gives CI exact versions of its tools, from a lockfile that names no registry and has a checksum for each package', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, '.ci/tools/package.json'), 'utf8'),
    );
    const versions: string[] = Object.values({ ...dependencies, ...optionalDependencies });
    expect(versions.filter((version) => !isExact(version))).toEqual([]);
    const { '': _, ...packages } = JSON.parse(readFileSync(join(root, '.ci/tools/package-lock.json'), 'utf8')).packages;
    const entries: { resolved?: string; integrity?: string }[] = Object.values(packages);
    expect(entries.length).toBeGreaterThan(versions.length);
    expect(
      entries.filter(({ resolved, integrity = '' }) => resolved !== undefined || !integrity.startsWith('sha512-')),
    ).toEqual([]);
  });

  test('has a lockfile without URLs and with a checksum for each package', () => {
    expect(lockfileFaults(lockfile)).toEqual([]);
    expect(lockfile.match(/resolution: /g)?.length).toBeGreaterThan(300);
  });

  test('gives the validator a reference parser without CVE-2026-15195, whose pointers could change Object.prototype', async () => {
    const requireOfServer = createRequire(join(root, 'packages/service/package.json'));
    const requireOfValidator = createRequire(requireOfServer.resolve('express-openapi-validator'));
    const { $RefParser } = requireOfValidator('@apidevtools/json-schema-ref-parser');
    const references = await new $RefParser().resolve({ components: {} });
    expect(() => references.set('#/__proto__/polluted', true)).toThrow('Unsafe JSON Pointer token "__proto__"');
    expect({}).not.toHaveProperty('polluted');
  });
});

/** The fields of a package.json that are checked. */
type Manifest = {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/** The fields of pnpm-workspace.yaml that are checked. */
type WorkspaceSettings = {
  catalog?: Record<string, string>;
  catalogs?: Record<string, Record<string, string>>;
  overrides?: Record<string, string>;
  minimumReleaseAge?: number;
  minimumReleaseAgeExclude?: string[];
  allowBuilds?: Record<string, boolean>;
  strictDepBuilds?: boolean;
};

/** The minimum age of an installed version in minutes, because most stolen accounts are noticed within days. */
const LEAST_AGE = 3 * 24 * 60;

/** Packages whose install scripts may run. `node` fetches the runtime of this platform. */
const MAY_RUN = ['node'];

const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];

/** The unsafe settings, one sentence each. */
function settingsFaults(settings: WorkspaceSettings): string[] {
  const faults: string[] = [];
  const { catalog = {}, catalogs = {}, overrides = {} } = settings;
  for (const versions of [catalog, overrides, ...Object.values(catalogs)]) {
    for (const [name, version] of Object.entries(versions)) {
      if (!isExact(version)) faults.push(`${name} is ${version}, which is not one exact version.`);
    }
  }
  if ((settings.minimumReleaseAge ?? 0) < LEAST_AGE)
    faults.push(`minimumReleaseAge is less than ${LEAST_AGE} minutes.`);
  if (settings.minimumReleaseAgeExclude !== undefined) faults.push('Some packages are exempt from minimumReleaseAge.');
  if (settings.strictDepBuilds !== true)
    faults.push('strictDepBuilds is off, so an install script that is not allowed is no error.');
  for (const [name, allowed] of Object.entries(settings.allowBuilds ?? {})) {
    if (allowed && !MAY_RUN.includes(name)) faults.push(`${name} may run scripts when it is installed.`);
  }
  return faults;
}

/** The unsafe fields in a package of the project. */
function manifestFaults(file: string, manifest: Manifest): string[] {
  const scripts = Object.keys(manifest.scripts ?? {}).filter((name) => INSTALL_SCRIPTS.includes(name));
  const { dependencies = {}, devDependencies = {}, optionalDependencies = {} } = manifest;
  const loose = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
    ([, version]) => !/^(catalog|workspace):/.test(version),
  );
  return [
    ...scripts.map((name) => `${file} has the install script ${name}.`),
    ...loose.map(([name, version]) => `${file} takes ${name} at ${version}, past the catalog.`),
  ];
}

/** The unsafe lines of the lockfile: URLs, and packages without a checksum. */
function lockfileFaults(lockfile: string): string[] {
  const faults: string[] = [];
  for (const [index, line] of lockfile.split('\n').entries()) {
    if (/https?:|git\+|tarball:/.test(line)) faults.push(`pnpm-lock.yaml:${index + 1} has a URL: ${line.trim()}`);
    if (/resolution: \{(?!.*integrity: sha512-)(?!directory)/.test(line)) {
      faults.push(`pnpm-lock.yaml:${index + 1} has no checksum: ${line.trim()}`);
    }
  }
  return faults;
}

/** One version, optionally after another name, for a second version of the same package. */
function isExact(version: string): boolean {
  return /^(npm:[a-z0-9@/._-]+@)?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version);
}
