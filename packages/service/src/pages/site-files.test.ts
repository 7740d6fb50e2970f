import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Encoding, manifestName } from './manifest.ts';
import { chooseEncoding, createSiteReader } from './site-files.ts';

test('a manifest that could not be read is read again, even if its version is the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'field-notes-'));
  const write = (manifest: string) => {
    const file = join(folder, manifestName);
    writeFileSync(file, manifest);
    utimesSync(file, 1, 1);
  };
  try {
    const readSite = createSiteReader(folder);
    write('{]');
    await expect(readSite()).rejects.toThrow('JSON');
    write('{}');
    expect(await readSite()).toEqual(new Map());
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const both: Encoding[] = ['br', 'gzip'];

test.each<[accepted: string | undefined, available: Encoding[], chosen: Encoding | undefined]>([
  // Browsers accept all encodings equally, whatever their order.
  ['gzip, deflate, br, zstd', both, 'br'],
  ['gzip, deflate', both, 'gzip'],
  ['br;q=0.2, gzip;q=0.8', both, 'gzip'],
  ['br;q=0, gzip', both, 'gzip'],
  ['BR', both, 'br'],
  ['*', both, 'br'],
  ['*, br;q=0', both, 'gzip'],
  ['br', ['gzip'], undefined],
  ['gzip, br', [], undefined],
  ['identity', both, undefined],
  ['identity, gzip;q=0.5', both, undefined],
  ['gzip;q=0.5', both, 'gzip'],
  ['identity;q=0, gzip;q=0.1', both, 'gzip'],
  ['gzip;q=0, br;q=0', both, undefined],
  // The client accepts none of the encodings, so it gets the uncompressed file.
  ['identity;q=0', [], undefined],
  ['*;q=0', both, undefined],
  ['', both, undefined],
  [undefined, both, undefined],
])('Accept-Encoding: %s, if %j are available, selects %s', (accepted, available, chosen) => {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  expect(chooseEncoding(headers, available)).toBe(chosen);
});
