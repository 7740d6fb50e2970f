import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { assertSealed, releaseFile, sealRelease } from './releases.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-releases-'));
  for (const version of ['1.0.0', '1.1.0']) {
    writeFileSync(releaseFile(version, folder), `version: ${version}\n`);
    sealRelease(version, folder);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

test('contracts that are as they were released pass', () => {
  expect(() => assertSealed(folder)).not.toThrow();
});

test('a released contract that was changed is named, with the way back', () => {
  writeFileSync(releaseFile('1.0.0', folder), 'version: 1.0.0 \n');
  expect(() => assertSealed(folder)).toThrow(/openapi-1\.0\.0\.yaml is not as it was released.*git checkout v1\.0\.0/);
});

test('a released contract that is gone is named', () => {
  rmSync(releaseFile('1.1.0', folder));
  expect(() => assertSealed(folder)).toThrow('openapi-1.1.0.yaml is not as it was released');
});
