import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../src/project.ts';
import { longFiles } from './long-files.ts';
import { longestFirst } from './longest-first-sequencer.ts';

test('the long files start first, the longest of all at the beginning; the others keep their order', () => {
  const [longest = '', second = ''] = longFiles;
  const tests = ['scripts/b.test.ts', second, 'scripts/a.test.ts', longest].map((file) => ({ path: join(root, file) }));
  const ordered = [longest, second, 'scripts/b.test.ts', 'scripts/a.test.ts'].map((file) => join(root, file));
  expect(longestFirst(tests).map(({ path }) => path)).toEqual(ordered);
});

test('the long files exist', () => {
  expect(longFiles.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
