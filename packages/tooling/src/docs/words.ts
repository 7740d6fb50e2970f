/** Formats numbers, times and dates for readers. */
import type { ContractDocument } from '../contract/document.ts';

/** 1000 as `1,000`. */
export function number(value: number): string {
  return value.toLocaleString('en');
}

const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3_600 },
  { name: 'minute', seconds: 60 },
] as const;

/** Seconds in the largest unit that divides them and gives at least 2: 86,400 as `24 hours`, 60 as `60 seconds`. */
export function duration(seconds: number): string {
  const unit = units.find((candidate) => seconds % candidate.seconds === 0 && seconds >= 2 * candidate.seconds);
  if (unit === undefined) return `${number(seconds)} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `${number(seconds / unit.seconds)} ${unit.name}s`;
}

/** An instant of the contract as a day: `5 December 2030`. */
export function day(instant: string): string {
  return new Date(instant).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The error codes of a contract, each after `anchor`. */
export function errorTable({ components }: ContractDocument, anchor = (_code: string) => ''): string {
  const rows = Object.entries(components.schemas.ErrorCode['x-codes']).map(([code, { status, cause, action }]) => [
    `${anchor(code)}\`${code}\` ${status}`,
    cause,
    action,
  ]);
  return table(['Code and status', 'Cause', 'What to do'], rows);
}

/** Joins the lines of a text, so that it fits into a list or a table. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}
