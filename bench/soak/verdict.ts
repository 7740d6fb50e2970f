/** How the server stood at one moment. Bytes are those left after its garbage was collected. */
export type Sample = { minutes: number; requests: number; heap: number; resident: number; handles: number };

/** What counts as growth: more than this, in each of the two ways of looking. */
const HEAP_PART = 0.1;
const HEAP_BYTES = 4 * 1_024 * 1_024;
const HANDLES = 10;

/**
 * What is wrong with a run, one sentence each; none when all is well. The first third warms up (compiled code, caches);
 * growth is looked for in the rest.
 */
export function faultsOf(samples: readonly Sample[], problems: readonly string[]): string[] {
  const faults: string[] = [];
  if (problems.length > 0) faults.push(`${problems.length} replies were wrong: ${summary(problems)}.`);
  const warm = samples.slice(Math.floor(samples.length / 3));
  const [first] = warm;
  const heap = risePerRun(warm.map((sample) => sample.heap));
  if (first !== undefined && heap > HEAP_BYTES && heap > first.heap * HEAP_PART) {
    faults.push(`The heap grew by ${megabytes(heap)} while it was warm.`);
  }
  const handles = risePerRun(warm.map((sample) => sample.handles));
  if (handles > HANDLES) faults.push(`Open handles grew by ${Math.round(handles)} while it was warm.`);
  return faults;
}

/** By how much values rise from first to last on the straight line through them (least squares). */
export function risePerRun(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const covariance = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0);
  const variance = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  return (covariance / variance) * (values.length - 1);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_024 / 1_024).toFixed(1)} MiB`;
}

/** Each different problem with how often it was. */
function summary(problems: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const problem of problems) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  return [...counts].map(([problem, count]) => `${count} × ${problem}`).join(', ');
}
