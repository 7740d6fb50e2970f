import type { Spread } from '../../figures/statistics.ts';

/** The median, and between what the middle half lies. */
export function spread({ median, low, high }: Spread): string {
  return `${figures(median)} (${figures(low)} to ${figures(high)})`;
}

/** Three figures: more than that nothing here is known to. */
export function figures(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(Number(value.toPrecision(3))).toLocaleString('en-US');
  return String(Number(value.toPrecision(Math.abs(value) >= 10 ? 3 : 2)));
}

/** What one measure has more than another one, where it has more in three of four rounds. */
export function more(difference: Spread): string {
  return difference.low > 0 ? spread(difference) : 'less than the noise';
}

export function percent(part: number): string {
  if (part > 0 && part < 0.01) return 'under 1 %';
  return `${figures(part * 100)} %`;
}

export function bytes(value: number): string {
  if (value >= 1e9) return `${figures(value / 1e9)} GB`;
  return value >= 1e6 ? `${figures(value / 1e6)} MB` : `${figures(value)} B`;
}

/** Sizes in words: 10 thousand, 1 million. */
export function count(value: number): string {
  if (value >= 1e6) return `${figures(value / 1e6)} million`;
  return value >= 1e4 ? `${figures(value / 1e3)} thousand` : figures(value);
}
