import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { newApi } from '../../../tooling/src/new/api.ts';
import { root } from '../../../tooling/src/project.ts';

const parent = realpathSync(mkdtempSync(join(tmpdir(), 'installed-')));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const { importers, snapshots } = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'));
const validator = 'express-openapi-validator';

/** The package.json of a package as a module of another one loads it. */
function loaded(name: string, from: string): string {
  return findPackageJSON(name, from) ?? `${name} is not installed`;
}

function versionOf(name: string, from: string): string {
  return JSON.parse(readFileSync(loaded(name, from), 'utf8')).version;
}

/** `3.0.1(ajv@8.20.0)` is 3.0.1. */
const locked = (versions: object) =>
  Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, String(version).replace(/\(.*/, '')]));

test('a new project installs the locked versions of this workspace, with its patch and its override', () => {
  const folder = join(parent, 'harbour');
  newApi(folder, join(root, 'examples/own-contract/openapi.yaml'), 'harbour');
  execFileSync('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder });

  const installed = (names: object, from: string) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, versionOf(name, from)]));
  for (const name of ['service', 'tooling']) {
    const all = Object.entries<{ version: string }>(importers[`packages/${name}`].dependencies);
    const others = all.flatMap(([one, { version }]) => (version.startsWith('link:') ? [] : [[one, version]]));
    const wanted = locked(Object.fromEntries(others));
    expect(installed(wanted, loaded(`@contract-first/${name}`, join(folder, 'package.json')))).toEqual(wanted);
  }

  const service = loaded('@contract-first/service', join(folder, 'package.json'));
  const own = loaded(validator, service);
  const [, { dependencies }] = Object.entries<{ dependencies: object }>(snapshots).find(([key]) =>
    key.startsWith(`${validator}@`),
  ) ?? ['', { dependencies: {} }];
  const { dependencies: direct } = JSON.parse(readFileSync(own, 'utf8'));
  const wanted = Object.entries(locked(dependencies)).filter(([name]) => Object.hasOwn(direct, name));
  expect(wanted.length).toBeGreaterThan(10);
  expect(installed(direct, own)).toEqual(Object.fromEntries(wanted));

  const ours = loaded(validator, join(root, 'packages/service/package.json'));
  const patch = readFileSync(join(root, `patches/${validator}@${versionOf(validator, service)}.patch`), 'utf8');
  const files = [...patch.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    expect(readFileSync(join(dirname(own), file), 'utf8')).toBe(readFileSync(join(dirname(ours), file), 'utf8'));
  }
  const program = `console.log(typeof (await import('@contract-first/service')).createService)`;
  expect(execFileSync(process.execPath, ['--eval', program], { cwd: folder, encoding: 'utf8' })).toBe('function\n');
}, 300_000);
