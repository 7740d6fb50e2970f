import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../packages/tooling/src/project.ts';
import { tablesOf } from './report.ts';
import { recordedRuns, textsWith, withFigures } from './texts.ts';

const runs = recordedRuns();
const block = (name: string) => `Before.\n<!-- recorded run: ${name} -->\nold\n<!-- end of recorded run -->\nAfter.\n`;

test('the texts have the figures of the recorded run', () => {
  const texts = textsWith(runs);
  expect([...texts.keys()].map((file) => [file, readFileSync(file, 'utf8')])).toEqual([...texts]);
  const all = [...texts.values()].join('\n');
  const marks = (mark: RegExp) => [...all.matchAll(mark)].length;
  expect([
    marks(/^<!-- recorded run(?: on PostgreSQL)?: .+ -->$/gm),
    marks(/^<!-- end of recorded run -->$/gm),
  ]).toEqual([9, 9]);
});

test('the tables are those of the recorded runs', () => {
  const read = (name: string) => readFileSync(join(root, 'docs/performance', name), 'utf8');
  expect([read('tables.md'), read('postgres-tables.md')]).toEqual([tablesOf(runs.sqlite), tablesOf(runs.postgres)]);
});

test('another run changes the figures in the blocks and nothing else', () => {
  const doubled = structuredClone(runs.sqlite);
  for (const sample of doubled.samples['get by random id']?.['Animal Store'] ?? []) sample.cpu = 1_234;
  const text = withFigures(block('cost of a get'), { ...runs, sqlite: doubled });
  expect(text).toMatch(
    /^Before\.\n<!-- recorded run: cost of a get -->\nA get takes 1234 µs .*\n<!-- end of recorded run -->\nAfter\.\n$/s,
  );
});

test('an unknown block is refused, and so is a run without the figures of a block', () => {
  expect(() => withFigures(block('speed'), runs)).toThrow('No figures are called "speed". There are: conditions,');
  expect(() => withFigures(block('ratios'), { ...runs, sqlite: { ...runs.sqlite, samples: {} } })).toThrow();
});
