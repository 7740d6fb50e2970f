import { quantile } from '../figures/statistics.ts';
import { megabytes, type Sample } from './verdict.ts';

export const sampleHeading = ['minutes', 'requests', 'heap', 'resident', 'open'].map(cell).join('');

export function sampleLine({ minutes, requests, heap, resident, handles }: Sample): string {
  return [minutes.toFixed(2), requests, megabytes(heap), megabytes(resident), handles].map(cell).join('');
}

function cell(value: string | number): string {
  return String(value).padStart(12);
}

/** Milliseconds by kind of request. */
export function latencyTable(latencies: ReadonlyMap<string, readonly number[]>): string {
  const rows = [...latencies].sort(([a], [b]) => a.localeCompare(b)).map(([kind, values]) => latencyRow(kind, values));
  return [['kind'.padEnd(16), ...['requests', 'p50 ms', 'p99 ms', 'most ms'].map(cell)].join(''), ...rows].join('\n');
}

function latencyRow(kind: string, values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [p50, p99, most] = [0.5, 0.99, 1].map((part) => quantile(sorted, part).toFixed(1));
  return [kind.padEnd(16), ...[values.length, p50 ?? '', p99 ?? '', most ?? ''].map(cell)].join('');
}

/** How often each kind was answered with each status. */
export function statusLines(statuses: ReadonlyMap<string, number>): string {
  const sorted = [...statuses].sort(([a], [b]) => a.localeCompare(b));
  return sorted.map(([label, count]) => `${label.padEnd(28)}${count}`).join('\n');
}
