import type { EngineName, Side } from './server.ts';
import type { WorkloadName } from './workloads.ts';

/** One round of a workload on a server. */
export type Sample = {
  /** Responses per second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of the server's processor time for each response. */
  cpu: number;
};

/** Everything that a run measured, as its JSON file has it. */
export type Results = {
  engine: EngineName;
  /** When the run started (RFC 3339). */
  startedAt: string;
  machine: {
    cores: number;
    processor: string;
    node: string;
    /** Whether the server and the load each had their own core. */
    pinned: boolean;
  };
  /** `rows` is the number of pets at the start. */
  options: { rounds: number; seconds: number; connections: number; rows: number };
  /** The largest fraction of a round in which the load generator was busy. */
  loadBusy: number;
  /** In the order of the rounds. */
  samples: { [Workload in WorkloadName]?: Record<Side, Sample[]> };
  /** Bytes of resident memory after the reads or after the creations, whichever is larger. */
  resident: Record<Side, number>;
  /** The rate of the last operation of a large contract divided by that of the first, for each round. */
  lastOperation: number[];
  /** Milliseconds from the start of our process to the end of its first response. */
  starts: number[];
};

/** The median of a list of measurements and the quartiles around it. */
export type Spread = { median: number; low: number; high: number };

/** @throws Error if there are no values */
export function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** One ratio per round, so that anything that slows the whole machine during a round cancels out. */
export function ratiosOf(values: number[], base: number[]): number[] {
  return values.map((value, round) => value / (base[round] ?? Number.NaN)).filter(Number.isFinite);
}

/**
 * @param fraction 0 is the smallest value, 0.5 the median, 1 the largest
 * @throws Error if there are no values
 */
export function quantile(sorted: number[], fraction: number): number {
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error('An empty list has no quantiles.');
  return below + (above - below) * (position - Math.floor(position));
}

/** The median with the quartiles, as `1.66 (1.45 to 1.73)`. */
export function formatSpread({ median, low, high }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
