import { type Hold, type Progress, settledRows } from './progress.ts';

/** The width of the bar between its brackets. It is shorter in a narrow terminal, or left out. */
const WIDEST = 24;
const NARROWEST = 5;

/** The bar and the text next to it, no wider than the terminal. `now` is in Unix milliseconds. */
export function barLine(progress: Progress, now: number, columns: number): string {
  const text = progressText(progress, now);
  // A line with the full width would move the cursor to the next line.
  const room = Math.max(0, columns - 1);
  const width = Math.min(WIDEST, room - text.length - '[] '.length);
  if (width < NARROWEST) return text.trimStart().slice(0, room);
  const filled = Math.floor(share(progress) * width);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${text}`;
}

/** The same without a bar, for logs. */
export function progressText(progress: Progress, now: number): string {
  const percent = `${Math.floor(share(progress) * 100)} %`.padStart(5);
  const settled = settledRows(progress);
  const { refused, unsure } = progress.counts;
  const parts = [`${percent}  ${count(settled)} of ${count(progress.total)}`];
  if (refused + unsure > 0) parts.push(`${count(refused + unsure)} not added`);
  parts.push(settled < progress.total ? whatIsNext(progress, now) : `done in ${span(now - progress.startedAt)}`);
  return parts.join(', ');
}

function share(progress: Progress): number {
  return progress.total === 0 ? 1 : settledRows(progress) / progress.total;
}

function whatIsNext(progress: Progress, now: number): string {
  const { hold, startedAt, counts } = progress;
  if (hold !== undefined) return holdText(hold, now);
  // Rows of earlier runs take no time, so they are not part of the estimate.
  const sent = settledRows(progress) - counts.alreadyThere;
  if (sent === 0) return 'starting';
  const left = ((now - startedAt) / sent) * (progress.total - settledRows(progress));
  return `about ${span(left)} left`;
}

function holdText(hold: Hold, now: number): string {
  if (hold.kind === 'trouble') return 'no response, retrying';
  const why = hold.kind === 'ban' ? 'key banned' : 'quota used up';
  if (hold.until <= now) return `${why}, continuing`;
  return `${why}, waiting until ${timeOfDay(hold.until)} (${span(hold.until - now)})`;
}

/** How an import ended. */
export type Ending = 'whole' | 'stopped' | 'interrupted';

/**
 * The result of an import, and what to do about the remaining rows.
 *
 * @param bad rows that were never sent
 * @param journal the path of the journal
 * @param now Unix milliseconds
 */
export function summaryText(progress: Progress, bad: number, ending: Ending, journal: string, now: number): string {
  const { counts, total, startedAt } = progress;
  const { added, alreadyThere, refused, unsure } = counts;
  const left = total - added - alreadyThere - refused - unsure;
  const table: [string, number][] = [
    ['added', added],
    ['already added', alreadyThere],
    ['rejected', refused + bad],
    ['unknown', unsure],
    ['not sent', left],
  ];
  const lines = table
    .filter(([name, value]) => value > 0 || name === 'added')
    .map(([name, value]) => row(name, count(value)));
  return [...lines, row('time', span(now - startedAt)), ...advice(progress, bad, left, ending, journal)].join('\n');
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(13)}  ${value.padStart(9)}`;
}

function advice({ counts, total }: Progress, bad: number, left: number, ending: Ending, journal: string): string[] {
  if (ending !== 'whole') {
    const what = left === 0 ? 'Every row was sent.' : `${counted(left, 'row')} may still be missing.`;
    return [`${what} Run the same command again to continue; no row is added twice.`];
  }
  if (counts.refused + bad > 0)
    return ['The rejected rows are listed above. Correct them and run the command again; no row is added twice.'];
  if (counts.unsure > 0) return ['The rows with an unknown result are listed above.'];
  if (total > 0 && counts.alreadyThere === total)
    return [`An earlier run has already added all rows. Its journal is ${journal}.`];
  return [];
}

/** Formats numbers and times for people. */

const numbers = new Intl.NumberFormat('en-US');

/** `1,000` */
export function count(value: number): string {
  return numbers.format(value);
}

/** `1 row`, `2 rows` */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** A time span in its two largest units: `4 s`, `2 min 5 s`, `3 h 0 min`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A time of today or tomorrow, in UTC because the API uses it: `12:01:00 UTC`. */
export function timeOfDay(milliseconds: number): string {
  // Rounded up to the second, so that the wait is over at that time.
  return `${new Date(Math.ceil(milliseconds / 1_000) * 1_000).toISOString().slice(11, 19)} UTC`;
}
