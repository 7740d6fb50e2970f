import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { codeOf, ImportError } from '../exit.ts';

/** A record of what an import has done, in a file that outlives its runs. */
export type Journal = {
  /** Identifies this import: the hash of the file when the import first began. */
  readonly importId: string;
  /** Whether an earlier run got the response that the row is in the store. */
  wasAdded: (key: string) => boolean;
  /** When the row was first sent, in this run or an earlier one (Unix milliseconds); undefined if it was never sent. */
  firstSentAt: (key: string) => number | undefined;
  /** How often the row was sent in this run. */
  timesSent: (key: string) => number;
  /** Call it before each request. Returns true for the first request of a row that may take effect. */
  noteSent: (key: string) => boolean;
  /** Records that the first request certainly had no effect, as if the row had never been sent. */
  takeBack: (key: string) => void;
  noteAdded: (key: string, id: number) => void;
  close: () => void;
};

/** A line of the journal, with one of the first four properties. */
type Entry = { import?: unknown; sent?: unknown; takenBack?: unknown; added?: unknown; at?: unknown };

/**
 * Opens the journal of an import, or creates it.
 *
 * @param fileHash the current hash of the CSV file
 * @param clock Unix milliseconds
 * @throws ImportError if the file is not a journal or cannot be written
 */
export function openJournal(path: string, fileHash: string, clock: () => number): Journal {
  const text = readJournal(path);
  const [first, ...entries] = text.split('\n').map(readLine);
  const importId = text === '' ? fileHash : idIn(first, path);
  const { added, sent } = stateAfter(entries);
  const times = new Map<string, number>();
  const file = openToWrite(path);
  // One system call per line, so that written lines survive if the process is killed.
  const write = (entry: object) => void writeSync(file, `${JSON.stringify(entry)}\n`);
  if (text === '') write({ import: importId });
  // The previous process was killed in the middle of a line.
  else if (!text.endsWith('\n')) writeSync(file, '\n');
  return {
    importId,
    wasAdded: (key) => added.has(key),
    firstSentAt: (key) => sent.get(key),
    timesSent: (key) => times.get(key) ?? 0,
    noteSent(key) {
      times.set(key, (times.get(key) ?? 0) + 1);
      if (sent.has(key)) return false;
      sent.set(key, clock());
      write({ sent: key, at: new Date(clock()).toISOString() });
      return true;
    },
    takeBack(key) {
      times.delete(key);
      sent.delete(key);
      write({ takenBack: key });
    },
    noteAdded: (key, id) => write({ added: key, id }),
    close: () => closeSync(file),
  };
}

function readJournal(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  } catch (error) {
    throw unusable(path, error);
  }
}

function openToWrite(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): ImportError {
  const reason = `The journal ${path} cannot be used (${codeOf(error) ?? error}).`;
  return new ImportError('notBegun', `${reason} Choose another file with --journal.`, { cause: error });
}

/** Ignores a truncated line. */
function readLine(line: string): Entry {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function idIn({ import: id }: Entry = {}, path: string): string {
  if (typeof id === 'string') return id;
  throw new ImportError('notBegun', `${path} is not an import journal. Choose another file with --journal.`);
}

/** The state after all lines: the rows that are in the store, and when others were first sent. */
function stateAfter(entries: readonly Entry[]): { added: Set<string>; sent: Map<string, number> } {
  const added = new Set<string>();
  const sent = new Map<string, number>();
  for (const entry of entries) {
    const time = Date.parse(String(entry.at));
    // If two runs have sent a row, the first one counts.
    if (typeof entry.sent === 'string' && !Number.isNaN(time) && !sent.has(entry.sent)) sent.set(entry.sent, time);
    if (typeof entry.takenBack === 'string') sent.delete(entry.takenBack);
    if (typeof entry.added === 'string') added.add(entry.added);
  }
  return { added, sent };
}
