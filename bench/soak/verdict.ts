/** The server at one moment, after a garbage collection. Memory is in bytes. */
export type Sample = { minutes: number; requests: number; heap: number; resident: number; handles: number };

/** The heap has grown if it exceeds both of these; handles if they exceed theirs. */
const HEAP_FRACTION = 0.1;
const HEAP_BYTES = 4 * 1_024 * 1_024;
const HANDLES = 10;

/**
 * The problems of a run, one sentence each. Growth counts only after the first third of the samples, in which code is
 * compiled and caches fill.
 */
export function faultsOf(samples: readonly Sample[], problems: readonly string[]): string[] {
  const faults: string[] = [];
  if (problems.length > 0) faults.push(`${problems.length} responses were wrong: ${summaryOf(problems)}.`);
  const warm = samples.slice(Math.floor(samples.length / 3));
  const [first] = warm;
  const heap = riseOf(warm.map((sample) => sample.heap));
  if (first !== undefined && heap > HEAP_BYTES && heap > first.heap * HEAP_FRACTION) {
    faults.push(`The heap grew by ${mebibytes(heap)} after the warm-up.`);
  }
  const handles = riseOf(warm.map((sample) => sample.handles));
  if (handles > HANDLES) faults.push(`Open handles grew by ${Math.round(handles)} after the warm-up.`);
  return faults;
}

/** The rise from the first to the last value on a straight line through them (least squares). */
export function riseOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const variance = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return (covariance / variance) * (values.length - 1);
}

export function mebibytes(bytes: number): string {
  return `${(bytes / 1_024 / 1_024).toFixed(1)} MiB`;
}

/** Each distinct problem with its count. */
function summaryOf(problems: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  return [...counts].map(([problem, count]) => `${count} × ${problem}`).join(', ');
}
