import { UsageError } from './usage-error.ts';

const UNITS = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * The milliseconds that a text such as `30d`, `24h`, `15m` or `90s` means.
 * @throws UsageError that names the option
 */
export function parseDuration(option: string, text: string): number {
  const [, amount, unit = ''] = /^([0-9]{1,10})([smhd])$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (UNITS.get(unit) ?? Number.NaN);
  if (!Number.isNaN(milliseconds)) return milliseconds;
  throw UsageError.ofValue(option, 'a duration such as 30d, 24h, 15m or 90s', text);
}
