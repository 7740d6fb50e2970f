import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createPageReader } from './built-page.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-page-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function build(html: string, seconds: number): void {
  writeFileSync(join(folder, 'index.html'), html);
  writeFileSync(join(folder, 'content-security-policy.txt'), "default-src 'none'\n");
  utimesSync(join(folder, 'index.html'), seconds, seconds);
}

test('a page that is not built is undefined', async () => {
  expect(await createPageReader()(folder)).toBeUndefined();
});

test('a page comes with its policy, and compressed', async () => {
  build('<p>one', 1_000);
  const page = await createPageReader()(folder);
  expect(page?.html.toString()).toBe('<p>one');
  expect(gunzipSync(page?.gzipped ?? '').toString()).toBe('<p>one');
  expect(page?.contentSecurityPolicy).toBe("default-src 'none'");
});

test('a page is read once, until it is built anew', async () => {
  const read = createPageReader();
  build('<p>one', 1_000);
  const [first, second] = await Promise.all([read(folder), read(folder)]);
  expect(second).toBe(first);
  build('<p>two', 2_000);
  const third = await read(folder);
  expect(third?.html.toString()).toBe('<p>two');
  expect(third?.etag).not.toBe(first?.etag);
});
