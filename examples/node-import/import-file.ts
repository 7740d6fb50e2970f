import { checkFile, type FileCheck, hashFile } from './csv/check-file.ts';
import { exitCodes, ImportError } from './exit.ts';
import type { Settings } from './options.ts';
import { holdAfter, newProgress, type Progress } from './progress/progress.ts';
import { type ProgressOutput, showProgress } from './progress/show.ts';
import { count, counted, type Ending, summaryText } from './progress/text.ts';
import type { Outcome } from './sending/add-row.ts';
import { addRows } from './sending/add-rows.ts';
import { type Journal, openJournal } from './sending/journal.ts';
import { createPatience } from './sending/patience.ts';
import { createImportStore } from './sending/store.ts';

/** The parts of the environment that an import uses. */
export type Environment = {
  /** Receives the summary. */
  out: (text: string) => void;
  /** Receives the progress, and messages about single rows. */
  notes: ProgressOutput;
  /** Unix milliseconds. */
  clock: () => number;
  /** Ends the import. The next run continues it. */
  signal: AbortSignal;
};

/**
 * Imports a file: checks all rows, adds them, and prints a summary.
 *
 * @returns the exit code
 * @throws ImportError if the import cannot begin
 */
export async function importFile(settings: Settings, environment: Environment): Promise<number> {
  const { file, skipBad } = settings;
  const { notes, clock } = environment;
  const check = await checkFile(
    file,
    (line, problems) => notes.write(`${file}:${line}: ${problems.join('; ')}.\n`),
    (rows) => notes.write(`Checked ${count(rows)} rows.\n`),
  );
  if (check.bad > 0 && !skipBad) {
    const bad = `${count(check.bad)} of ${counted(check.good + check.bad, 'row')} are invalid, so nothing was sent.`;
    notes.write(`${bad} Correct them, or use --skip-bad to add the other rows.\n`);
    return exitCodes.rowsLeft;
  }
  const hash = await hashFile(file);
  const journal = openJournal(settings.journal, hash, clock);
  if (journal.importId !== hash)
    notes.write(`${file} has changed since the import started. Only new rows will be added.\n`);
  try {
    return await addAll(settings, check, journal, environment);
  } finally {
    journal.close();
  }
}

async function addAll(
  settings: Settings,
  { good, bad }: FileCheck,
  journal: Journal,
  { out, notes, clock, signal }: Environment,
): Promise<number> {
  const { file, patience, resendUnsure } = settings;
  const progress = newProgress(good, clock());
  const store = createImportStore(settings, journal, (event) => {
    progress.hold = holdAfter(progress.hold, event, Date.now());
  });
  const shown = showProgress(notes, progress, clock);
  const onSettled = (line: number, outcome: Outcome) => {
    progress.counts[outcome.kind] += 1;
    if ('reason' in outcome) shown.say(`${file}:${line}: ${outcome.reason}`);
  };
  const adding = { store, journal, patience: createPatience(patience, clock), clock, resendUnsure, signal };
  const failure: unknown = await addRows(file, adding, onSettled).then(
    () => undefined,
    (error: unknown) => error,
  );
  shown.end();
  const ending = endingOf(failure, signal);
  if (failure instanceof ImportError) notes.write(`${failure.message}\n`);
  out(`${summaryText(progress, bad, ending, settings.journal, clock())}\n`);
  return exitCodeOf(progress, bad, ending);
}

/** @throws the failure if it is a bug */
function endingOf(failure: unknown, signal: AbortSignal): Ending {
  if (failure === undefined) return 'whole';
  if (failure instanceof ImportError) return 'stopped';
  if (signal.aborted) return 'interrupted';
  throw failure;
}

function exitCodeOf({ counts }: Progress, bad: number, ending: Ending): number {
  if (ending !== 'whole') return exitCodes.stopped;
  return counts.refused + counts.unsure + bad > 0 ? exitCodes.rowsLeft : exitCodes.done;
}
