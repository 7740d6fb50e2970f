import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { page, recordedRuns, withFigures } from './report.ts';
import { engineNames } from './servers.ts';

const runs = recordedRuns();
const text = readFileSync(page, 'utf8');

test('the page has the figures of the recorded runs', () => {
  expect(text).toBe(withFigures(text, runs));
  const starts = [...text.matchAll(/^<!-- recorded run: (.+) -->$/gm)].map(([, engine]) => engine);
  expect(starts).toEqual(engineNames);
});

test('another run changes the figures in its block and nothing else', () => {
  const block = (name: string) =>
    `Before.\n<!-- recorded run: ${name} -->\nold\n<!-- end of recorded run -->\nAfter.\n`;
  expect(withFigures(block('sqlite'), runs)).toMatch(/^Before\..*sqlite -->\n\d+ \w+ \d+: .* MiB\.\n<!--.*After\.\n$/s);
  expect(() => withFigures(block('speed'), runs)).toThrow('No run is recorded for "speed".');
});
