/** The middle of many measures, and between what the middle half of them lies. */
export type Spread = { median: number; low: number; high: number };

/** @throws Error when there is nothing to sum up */
export function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

/** One ratio per round, so that what slows the whole machine in a round falls out of it. */
export function ratiosOf(values: number[], base: number[]): number[] {
  return values.map((value, round) => value / (base[round] ?? Number.NaN));
}

/**
 * @param part 0 is the least value, 0.5 the median, 1 the largest
 * @throws Error when there is no value
 */
export function quantile(sorted: number[], part: number): number {
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error('There is nothing to take a quantile of.');
  return below + (above - below) * (position - Math.floor(position));
}
