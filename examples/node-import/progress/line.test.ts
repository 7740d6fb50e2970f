import { expect, test } from '@jest/globals';
import { barLine, progressText } from './line.ts';
import { newProgress, type Progress } from './progress.ts';

const START = Date.parse('2026-12-01T12:00:10Z');

function progressOf(counts: Partial<Progress['counts']>, hold?: Progress['hold']): Progress {
  const progress = newProgress(1_000, START);
  return { ...progress, counts: { ...progress.counts, ...counts }, hold };
}

test.each([
  ['[------------------------]   0 %  0 of 1,000, starting', {}, 0],
  ['[############------------]  50 %  500 of 1,000, about 10 s left', { added: 500 }, 10],
  ['[############------------]  50 %  500 of 1,000, starting', { alreadyThere: 500 }, 0],
  ['[########################] 100 %  1,000 of 1,000, done in 1 min 5 s', { added: 1_000 }, 65],
  [
    '[######------------------]  25 %  250 of 1,000, 3 not added, about 2 min 0 s left',
    { added: 247, refused: 2, unsure: 1 },
    40,
  ],
])('%s', (line, counts, seconds) => {
  expect(barLine(progressOf(counts), START + seconds * 1_000, 120)).toBe(line);
});

test.each([
  ['quota used up, waiting until 12:01:00 UTC (50 s)', { kind: 'quota', until: START + 50_000 }],
  ['quota used up, waiting until 00:00:00 UTC (11 h 59 min)', { kind: 'quota', until: START + 43_190_000 }],
  ['quota used up, continuing', { kind: 'quota', until: START - 1 }],
  ['key banned, waiting until 12:02:10 UTC (2 min 0 s)', { kind: 'ban', until: START + 120_000 }],
  ['no response, retrying', { kind: 'trouble' }],
] as const)('a wait is shown: %s', (words, hold) => {
  expect(progressText(progressOf({ added: 60 }, hold), START)).toBe(`  6 %  60 of 1,000, ${words}`);
});

test.each([
  ['[############------------]  50 %  500 of 1,000, about 10 s left', 64],
  ['[######------]  50 %  500 of 1,000, about 10 s left', 52],
  ['[##---]  50 %  500 of 1,000, about 10 s left', 45],
  ['50 %  500 of 1,000, about 10 s left', 44],
  ['50 %  500 of 1,000', 19],
  ['', 1],
  ['', 0],
])('a narrow terminal gets %j', (line, columns) => {
  expect(barLine(progressOf({ added: 500 }), START + 10_000, columns)).toBe(line);
});
