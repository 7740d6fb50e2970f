import { type Hold, type Progress, settledRows } from './progress.ts';
import { count, span, timeOfDay } from './words.ts';

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
