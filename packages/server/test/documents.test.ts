import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { limits } from '@animal-store/contract';
import { expect, test } from '@jest/globals';
import { readConfig } from '../src/config.ts';
import { defaultTimeouts } from '../src/http/server.ts';

const root = join(import.meta.dirname, '../../..');
const operate = readFileSync(join(root, 'docs/operate.md'), 'utf8');
const settings = new Map(
  [...operate.matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)].map(([, name, value]) => [name, value]),
);

test('docs/operate.md names every setting that is read, and no other', () => {
  const source = readFileSync(join(root, 'packages/server/src/config.ts'), 'utf8');
  const read = [...source.matchAll(/read(?:<[^(]+>)?\(\s*'([A-Z_]+)'/g)].map(([, name]) => name);
  expect(read.length).toBeGreaterThan(5);
  expect(new Set(settings.keys())).toEqual(new Set(read));
});

test('docs/operate.md states the defaults that the server has', () => {
  const { host, port, databaseUrl, drainDeadline, logLevel, maxConnections } = readConfig({});
  const quoted = (value: string | number) => `\`${value}\``;
  expect(settings.get('HOST')).toBe(quoted(host));
  expect(settings.get('PORT')).toBe(quoted(port));
  expect(settings.get('DATABASE_URL')).toBe(quoted(databaseUrl));
  expect(settings.get('DRAIN_SECONDS')).toBe(quoted(drainDeadline / 1_000));
  expect(settings.get('MAX_CONNECTIONS')).toBe(quoted(maxConnections));
  expect(settings.get('LOG_LEVEL')).toBe(
    `${quoted(logLevel)}, ${quoted(readConfig({ NODE_ENV: 'production' }).logLevel)} in production`,
  );
});

test('docs/operate.md states the time-outs that the server has', () => {
  expect(operate).toContain(`| headers complete | ${defaultTimeouts.headers / 1_000} s |`);
  expect(operate).toContain(`| request complete | ${defaultTimeouts.request / 1_000} s |`);
  expect(operate).toContain(`| reply read, from the headers on | ${defaultTimeouts.reply / 1_000} s |`);
});

test('the contract says the limits of body and idempotency in words as it says them in numbers', () => {
  const contract = readFileSync(join(root, 'openapi.yaml'), 'utf8');
  expect(contract).toContain(`The body is larger than ${limits.bodyBytes / 1024} KiB.`);
  expect(contract).toContain(`For ${limits.idempotencySeconds / 3_600} hours a`);
});

/** The guides link to pages as they are built, and their build looks after these links. */
const texts = globSync(['*.md', 'docs/**/*.md'], { cwd: root, exclude: ['docs/guides/**'] });

test.each(texts)('every file that %s links to or names is there', (text) => {
  const content = readFileSync(join(root, text), 'utf8');
  const links = [...content.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) =>
    join(root, dirname(text), link),
  );
  const named = [
    ...content.matchAll(
      /`((?:packages|scripts|docs|auth|http|limits|operations|pages|reply|request|src|storage|validation)\/[\w./-]*)`/g,
    ),
  ]
    .map(([, name = '']) => name)
    .filter((name) => !name.includes('...'));
  const folders = [root, join(root, 'packages/server'), join(root, 'packages/server/src')];
  const missing = [
    ...links.filter((link) => !existsSync(link)),
    ...named.filter((name) => !folders.some((folder) => existsSync(join(folder, name)))),
  ];
  expect(missing).toEqual([]);
});

/** Tests that a text names as what holds a promise, such as `a/b.test.ts`: “does this”, “does that”. */
const promises = texts.flatMap((text) => {
  const content = readFileSync(join(root, text), 'utf8');
  return [...content.matchAll(/`([\w./-]+\.ts)`: (“[^”]+”(?:, “[^”]+”)*)/g)].flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/“([^”]+)”/g)].map(([, name = '']) => ({ text, file, name })),
  );
});

test('texts name the tests that hold what they promise', () => {
  expect(promises.length).toBeGreaterThan(10);
});

test.each(promises)('$text names a test of $file: $name', ({ file, name }) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(name);
});
