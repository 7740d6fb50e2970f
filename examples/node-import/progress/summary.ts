import type { Progress } from './progress.ts';
import { count, counted, span } from './words.ts';

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
