import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { missedTargetsReport, page, recordedRuns, targetTable, withFigures } from './report.ts';
import type { Results, Sample } from './results.ts';
import { engineNames } from './server.ts';
import { verdictsOn } from './targets.ts';

const samples = (...values: number[]): Sample[] => values.map((value) => ({ rate: value, p50: 1, p99: value, cpu: 1 }));

function resultsOf(measured: Partial<Results>): Results {
  return {
    engine: 'sqlite',
    startedAt: '2026-01-01T00:00:00.000Z',
    machine: { cores: 2, processor: 'a processor', node: 'v24', pinned: true },
    options: { rounds: 3, seconds: 1, connections: 1, rows: 1 },
    loadBusy: 0.5,
    samples: {},
    resident: { own: 0, peer: 0 },
    lastOperation: [],
    starts: [],
    ...measured,
  };
}

/** Results in which our rates on the hot page are these multiples of the peer's. */
function hotPage(...ratios: number[]): Results {
  const own = samples(...ratios.map((ratio) => ratio * 100));
  return resultsOf({ samples: { 'list, hot page': { own, peer: samples(...ratios.map(() => 100)) } } });
}

describe('verdictsOn', () => {
  test('takes the median of the ratios within each round', () => {
    // Both rates fall in a slow round, and the ratio of their medians would be 3.
    const peer = samples(100, 10, 100);
    const results = resultsOf({ samples: { 'list, hot page': { own: samples(200, 10, 300), peer } } });
    expect(verdictsOn(results)).toMatchObject([
      { target: { figure: 'list, hot page' }, spread: { median: 2 }, met: true },
    ]);
  });

  test('compares latencies, memory, growth and starts, and ignores what was not measured', () => {
    const others = resultsOf({
      resident: { own: 390, peer: 200 },
      lastOperation: [0.9, 1, 0.97],
      starts: [500, 300, 400],
    });
    expect(targetTable(others).split('\n').slice(2)).toEqual([
      '| last operation ÷ first | ≥ 0.95 | 0.97 (0.94 to 0.98) | yes |',
      '| resident memory | ≤ 1.3 | 1.95 (1.95 to 1.95) | **no** |',
      '| start to first response, ms | ≤ 300 | 400 (350 to 450) | **no** |',
    ]);
    const gets = { own: samples(1, 2, 3), peer: samples(1, 1, 1) };
    const table = targetTable(resultsOf({ engine: 'postgres', samples: { 'get by random id': gets } }));
    expect(table).toContain('| get by random id | ≥ 1.2 | 2.00 (1.50 to 2.50) | yes |');
    expect(table).toContain('| get by random id: p99 | ≤ 1.2 | 2.00 (1.50 to 2.50) | **no** |');
  });
});

describe('the smoke test', () => {
  const nine = (ratio: number, disturbed = 0) =>
    Array.from({ length: 9 }, (_, round) => (round < disturbed ? 0.1 : ratio));

  test('passes if every target is reached by half', () => {
    expect(missedTargetsReport(hotPage(...nine(0.8)))).toBeUndefined();
  });

  test('fails if a target is missed by half, and names it', () => {
    expect(missedTargetsReport(hotPage(...nine(0.3)))).toContain('list, hot page | ≥ 1.5 | 0.30 (0.30 to 0.30)');
  });

  test('tolerates six disturbed rounds of nine, but not seven', () => {
    expect(missedTargetsReport(hotPage(...nine(1.5, 6)))).toBeUndefined();
    expect(missedTargetsReport(hotPage(...nine(1.5, 7)))).toContain('list, hot page');
  });
});

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
