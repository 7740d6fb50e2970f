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
