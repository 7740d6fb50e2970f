import { quantile, ratiosOf, type Spread, spreadOf } from '../figures/statistics.ts';
import type { FirstCalls } from './first-calls.ts';
import type { ProcessTimes } from './processes.ts';
import type { Rates } from './requests.ts';

export type Measures = {
  operations: { small: number; large: number };
  processes: { small: ProcessTimes; large: ProcessTimes };
  firstCalls: FirstCalls;
  rates: Rates;
};

/** What was measured, as Markdown. */
export function tableOf({ operations, processes, firstCalls, rates }: Measures): string {
  const { small, large } = processes;
  const added = operations.large - operations.small;
  return [
    `| whole process | ${operations.small} operations | ${operations.large} operations | ratio | more per operation |`,
    '|---|---|---|---|---|',
    ...[
      processRow('generate', small.generate, large.generate, added),
      processRow('type check', small.typecheck, large.typecheck, added),
      processRow('start to first reply', small.start, large.start, added),
    ],
    '',
    `| an operation of ${operations.large}, called for the first time | |`,
    '|---|---|',
    ...firstCallRows(firstCalls),
    '',
    '| requests per second, as ratios | median | middle half |',
    '|---|---|---|',
    ...rateRows(rates),
  ].join('\n');
}

function processRow(name: string, small: number[], large: number[], added: number): string {
  const [few, many] = [spreadOf(small).median, spreadOf(large).median];
  const perOperation = ((many - few) * 1_000) / added;
  return `| ${name} | ${few.toFixed(2)} s | ${many.toFixed(2)} s | ${ratio(ratiosOf(large, small))} | ${perOperation.toFixed(2)} ms |`;
}

function firstCallRows({ first, second, heapPerOperation, residentPerOperation }: FirstCalls): string[] {
  const part = Math.max(1, Math.floor(first.length / 10));
  const early = spreadOf(first.slice(part, 2 * part + 1)).median;
  const late = spreadOf(first.slice(-part)).median;
  return [
    `| first call, median | ${spreadOf(first).median.toFixed(1)} ms |`,
    `| first call, 95th percentile | ${quantile(
      first.toSorted((a, b) => a - b),
      0.95,
    ).toFixed(1)} ms |`,
    `| second call, median | ${spreadOf(second).median.toFixed(1)} ms |`,
    `| the last tenth of the contract against the second | ${(late / early).toFixed(2)} |`,
    `| heap kept, per operation | ${(heapPerOperation / 1_024).toFixed(0)} KiB |`,
    `| resident memory, per operation | ${(residentPerOperation / 1_024).toFixed(0)} KiB |`,
  ];
}

function rateRows(rates: Rates): string[] {
  return [...rates].flatMap(([kind, places]) => {
    const [base, ...others] = [...places];
    if (base === undefined) return [];
    return others.map(([place, values]) => {
      const { median, low, high } = spreadOf(ratiosOf(values, base[1]));
      return `| ${kind}: ${place} against ${base[0]} | ${median.toFixed(3)} | ${low.toFixed(3)} to ${high.toFixed(3)} |`;
    });
  });
}

function ratio(values: number[]): string {
  const { median, low, high }: Spread = spreadOf(values);
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}
