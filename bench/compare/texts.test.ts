import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../packages/tooling/src/project.ts';
import { tablesOf } from './report.ts';
import type { Results } from './results.ts';
import { figuresFile, textsWith, withFigures } from './texts.ts';

const results: Results = JSON.parse(readFileSync(figuresFile, 'utf8'));
const block = (name: string) => `Before.\n<!-- recorded run: ${name} -->\nold\n<!-- end of recorded run -->\nAfter.\n`;

test('the texts have the figures of the recorded run', () => {
  const texts = textsWith(results);
  expect([...texts.keys()].map((file) => [file, readFileSync(file, 'utf8')])).toEqual([...texts]);
  const all = [...texts.values()].join('\n');
  const marks = (mark: RegExp) => [...all.matchAll(mark)].length;
  expect([marks(/^<!-- recorded run: .+ -->$/gm), marks(/^<!-- end of recorded run -->$/gm)]).toEqual([7, 7]);
});

test('the tables are those of the recorded run', () => {
  expect(readFileSync(join(root, 'docs/performance/tables.md'), 'utf8')).toBe(tablesOf(results));
});

test('another run changes the figures in the blocks and nothing else', () => {
  const doubled = structuredClone(results);
  for (const sample of doubled.samples['get by random id']?.['Animal Store'] ?? []) sample.cpu = 1_234;
  const text = withFigures(block('cost of a get'), doubled);
  expect(text).toMatch(
    /^Before\.\n<!-- recorded run: cost of a get -->\nA get takes 1234 µs .*\n<!-- end of recorded run -->\nAfter\.\n$/s,
  );
});

test('an unknown block is refused, and so is a run without the figures of a block', () => {
  expect(() => withFigures(block('speed'), results)).toThrow(
    'No figures are called "speed". There are: short comparison,',
  );
  expect(() => withFigures(block('ratios'), { ...results, samples: {} })).toThrow();
});
