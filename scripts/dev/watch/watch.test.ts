import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../../testing/child.ts';
import { watchFiles } from './watch.ts';

let root = '';
let changed: string[] = [];
let watcher: { close: () => void };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'animal-store-watch-'));
  mkdirSync(join(root, 'packages/a/src'), { recursive: true });
  write('openapi.yaml', 'one');
  write('packages/a/src/x.ts', 'one');
  changed = [];
  watcher = watchFiles(
    { root, files: ['openapi.yaml'], folders: ['packages'], isOfInterest: (path) => path.endsWith('.ts') },
    ({ paths }) => changed.push(...paths),
  );
});

afterEach(() => {
  watcher.close();
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
}

/** All that was reported once this was. */
async function reported(path: string): Promise<string[]> {
  await eventually(
    () => changed.includes(path),
    () => `${path} was not reported, only: ${changed.join(', ')}`,
  );
  return changed;
}

test('a file that is written, and one that takes the place of another', async () => {
  write('openapi.yaml', 'two');
  expect(await reported('openapi.yaml')).toEqual(['openapi.yaml']);
  write('packages/a/src/x.ts~', 'two');
  renameSync(join(root, 'packages/a/src/x.ts~'), join(root, 'packages/a/src/x.ts'));
  expect(await reported('packages/a/src/x.ts')).toEqual(['openapi.yaml', 'packages/a/src/x.ts']);
});

test('what is written twice, emptied on the way, or in another folder at the same time is one report', async () => {
  write('openapi.yaml', '');
  write('packages/a/src/x.ts', 'two');
  write('openapi.yaml', 'two');
  write('openapi.yaml', 'three');
  expect(await reported('openapi.yaml')).toEqual(['openapi.yaml', 'packages/a/src/x.ts']);
});

test('a new folder, a removed file, and a folder that comes back', async () => {
  mkdirSync(join(root, 'packages/b/src'), { recursive: true });
  write('packages/b/src/y.ts', 'one');
  await reported('packages/b/src/y.ts');
  unlinkSync(join(root, 'packages/a/src/x.ts'));
  await reported('packages/a/src/x.ts');
  rmSync(join(root, 'packages/b'), { recursive: true });
  changed = [];
  await reported('packages/b/src/y.ts');
  changed = [];
  mkdirSync(join(root, 'packages/b/src'), { recursive: true });
  write('packages/b/src/y.ts', 'two');
  await reported('packages/b/src/y.ts');
  changed = [];
  write('packages/b/src/y.ts', 'three');
  await reported('packages/b/src/y.ts');
});

test('a file that was touched only, and one of no interest, are not reported', async () => {
  utimesSync(join(root, 'openapi.yaml'), new Date(), new Date());
  write('packages/a/src/notes.txt', 'one');
  write('packages/a/src/x.ts', 'two');
  expect(await reported('packages/a/src/x.ts')).toEqual(['packages/a/src/x.ts']);
});
