import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '../root.ts';
import { lockfileFaults, manifestFaults, settingsFaults } from './rules.ts';

const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
const settings = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
const manifests = execFileSync('git', ['ls-files', 'package.json', '*/package.json'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);

describe('this project', () => {
  test('takes exact versions that are old enough, and lets them run no script', () => {
    expect(settingsFaults(settings)).toEqual([]);
    expect(Object.keys(settings.catalog).length).toBeGreaterThan(20);
  });

  test.each(manifests)('%s has no install script, and takes its dependencies from the catalog', (file) => {
    const manifest = JSON.parse(readFileSync(join(root, file), 'utf8'));
    expect(manifestFaults(file, manifest)).toEqual([]);
  });

  test('has a lockfile that names no address and has a checksum for each package', () => {
    expect(lockfileFaults(lockfile)).toEqual([]);
    expect(lockfile.match(/resolution: /g)?.length).toBeGreaterThan(300);
  });
});

describe('a slip is found', () => {
  test.each([
    [{ catalog: { express: '^5.3.0' } }, 'express is ^5.3.0, which is not one exact version.'],
    [{ catalogs: { old: { express: 'latest' } } }, 'express is latest, which is not one exact version.'],
    [{ minimumReleaseAge: 60 }, 'minimumReleaseAge is less than 4320 minutes.'],
    [{ minimumReleaseAgeExclude: ['express'] }, 'Some packages need not be old enough.'],
    [{ strictDepBuilds: false }, 'An install script that nobody allowed is no error.'],
    [{ allowBuilds: { express: true } }, 'express may run scripts when it is installed.'],
  ])('in the settings: %j', (slip, fault) => {
    expect(settingsFaults({ ...settings, ...slip })).toEqual([fault]);
  });

  test.each([
    [{ scripts: { postinstall: 'node x.js' } }, 'a/package.json has the install script postinstall.'],
    [{ dependencies: { express: '5.3.0' } }, 'a/package.json takes express at 5.3.0, past the catalog.'],
    [{ devDependencies: { x: 'github:a/x' } }, 'a/package.json takes x at github:a/x, past the catalog.'],
  ])('in a package: %j', (slip, fault) => {
    expect(manifestFaults('a/package.json', slip)).toEqual([fault]);
  });

  test.each([
    '    resolution: {tarball: https://packages.example/x.tgz}',
    '    resolution: {integrity: sha1-abc=}',
    '    resolution: {type: git, repo: git+ssh://git@example/x}',
  ])('in the lockfile: %s', (line) => {
    expect(lockfileFaults(`${lockfile}\n${line}`)).not.toEqual([]);
  });
});
