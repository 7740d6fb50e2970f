import { describe, expect, test } from '@jest/globals';
import { readRun } from '../run.ts';
import { bytesAt, catalogueAt, keyReads, readingAt } from './costs.ts';

const run = readRun();

describe('how often a key is read', () => {
  test('is once in 5 seconds for keys that call often', () => {
    expect(keyReads({ keys: 10, rate: 100 })).toBeCloseTo(0.02);
  });

  test('is with each request for keys that call less often than that', () => {
    expect(keyReads({ keys: 10_000, rate: 100 })).toBe(1);
  });

  test('is with most requests where there are more keys than a process remembers', () => {
    expect(keyReads({ keys: 100_000, rate: 1_000_000 })).toBeCloseTo(0.9);
  });
});

describe('reading among so many animals', () => {
  const [middle, largest] = [catalogueAt(run, 'SQLite', 1), catalogueAt(run, 'SQLite', -1)];
  const measured = (catalogue: typeof middle) => catalogue.anyPage.processor.median;

  test('takes what was measured, at the sizes that were', () => {
    expect(readingAt(run, 'SQLite', 'anyPage', middle.animals)).toBeCloseTo(measured(middle));
    expect(readingAt(run, 'SQLite', 'anyPage', largest.animals)).toBeCloseTo(measured(largest));
  });

  test('lies on a line over the logarithm of the size between them', () => {
    const between = Math.sqrt(middle.animals * largest.animals);
    const half = (measured(middle) + measured(largest)) / 2;
    expect(readingAt(run, 'SQLite', 'anyPage', between)).toBeCloseTo(half);
  });

  test('takes the last step once more beyond the largest, and never less than there', () => {
    const factor = largest.animals / middle.animals;
    const step = Math.max(0, measured(largest) - measured(middle));
    expect(readingAt(run, 'SQLite', 'anyPage', largest.animals * factor)).toBeCloseTo(measured(largest) + step);
  });
});

test('bytes grow in a straight line from the largest catalogue', () => {
  const { animals, tableBytes, indexBytes } = catalogueAt(run, 'PostgreSQL', -1);
  expect(bytesAt(run, 'PostgreSQL', 3 * animals)).toBeCloseTo(3 * (tableBytes + indexBytes));
});
