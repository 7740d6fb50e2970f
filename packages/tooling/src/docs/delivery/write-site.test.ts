import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { originPlaceholder, parseManifest } from '@contract-first/service/manifest';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { withHash } from '../shell/assets.ts';
import type { SiteFile } from '../site-file.ts';
import { filesIn, writeSite } from './write-site.ts';

let folder = '';
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'site-')), 'docs');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

function page(path: string, content: string): SiteFile {
  return { path, content, contentSecurityPolicy: "default-src 'none'" };
}

function listed(path: string) {
  return parseManifest(readFileSync(join(folder, 'delivery.json'), 'utf8')).get(path);
}

const long = 'Keys are kept as hashes. '.repeat(100);

test('a file is written with its compressed versions, and listed in the manifest', async () => {
  await writeSite([page('guides/keys.html', long)], 'https://test.example', folder);
  const bytes = (ending: string) => readFileSync(join(folder, `guides/keys.html${ending}`));
  expect(bytes('').toString()).toBe(long);
  expect(brotliDecompressSync(bytes('.br')).toString()).toBe(long);
  expect(gunzipSync(bytes('.gz')).toString()).toBe(long);
  expect(listed('guides/keys.html')).toEqual({
    mediaType: 'text/html; charset=utf-8',
    hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    isImmutable: false,
    isTemplate: false,
    contentSecurityPolicy: "default-src 'none'",
    encodings: ['br', 'gzip'],
  });
});

test('a static host sends the given origin; the server fills its own into the template', async () => {
  const written = [page('index.html', `${long}<p>${originPlaceholder}/v1`)];
  await writeSite(written, 'https://test.example', folder);
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toBe(`${long}<p>https://test.example/v1`);
  expect(readFileSync(join(folder, 'index.html.template'), 'utf8')).toBe(`${long}<p>${originPlaceholder}/v1`);
  expect(listed('index.html')?.isTemplate).toBe(true);
  await writeSite([page('index.html', long)], 'https://test.example', folder);
  expect(existsSync(join(folder, 'index.html.template'))).toBe(false);
});

test('a compressed version that is not smaller than the file is left out', async () => {
  await writeSite([{ path: 'llms.txt', content: 'a' }], 'https://test.example', folder);
  expect(readdirSync(folder).sort()).toEqual(['delivery.json', 'llms.txt']);
  expect(listed('llms.txt')?.encodings).toEqual([]);
});

test('a file whose name contains the hash of its content is immutable; one with another hash is not', async () => {
  const path = withHash('assets/site.css', 'a {}');
  await writeSite([{ path, content: 'a {}' }], 'https://test.example', folder);
  expect(listed(path)?.isImmutable).toBe(true);
  await writeSite([{ path, content: 'b {}' }], 'https://test.example', folder);
  expect(listed(path)?.isImmutable).toBe(false);
});

test('files of an earlier build are removed', async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'content-security-policy.txt'), 'of an older layout');
  await writeSite([page('index.html', 'a'), page('guides/old.html', long)], 'https://test.example', folder);
  await writeSite([page('index.html', 'a')], 'https://test.example', folder);
  expect(filesIn(folder)).toEqual(['delivery.json', 'index.html']);
});

test.each<[string, SiteFile[], string]>([
  ['two files with one path', [page('a.html', 'a'), page('a.html', 'b')], 'Two files of the docs have the path a.html'],
  ['a page without a policy', [{ path: 'a.html', content: 'a' }], 'a.html has no Content-Security-Policy'],
  ['an unknown kind of file', [{ path: 'a.exe', content: 'a' }], 'The media type of a.exe is unknown.'],
  ['a path outside the site', [page('../a.html', 'a')], '../a.html is no path below'],
  ['an absolute path', [page('/a.html', 'a')], '/a.html is no path below'],
])('%s is refused, and nothing is written', async (_, files, reason) => {
  await expect(writeSite([page('index.html', 'a'), ...files], 'https://test.example', folder)).rejects.toThrow(reason);
  expect(existsSync(folder)).toBe(false);
});
