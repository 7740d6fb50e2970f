import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { codeOf, ImportError } from '../exit.ts';

/** What an import has done so far: a file that outlives each run of it. */
export type Journal = {
  /** Tells this import from others; what the file's hash was when the import first began. */
  readonly importId: string;
  /** Whether an earlier run was told that the row is in the store. */
  wasAdded: (key: string) => boolean;
  /** When the row was first sent, in this run or an earlier one (Unix milliseconds); undefined when it never was. */
  firstSentAt: (key: string) => number | undefined;
  /** How often the row was sent in this run. */
  timesSent: (key: string) => number;
  /** To be called before each request leaves. True when it is the first one of its row that may have done something. */
  noteSent: (key: string) => boolean;
  /** That first one has done nothing for sure: the row is as if it was never sent. */
  takeBack: (key: string) => void;
  noteAdded: (key: string, id: number) => void;
  close: () => void;
};

/** A line of the journal; each has one of the first four. */
type Entry = { import?: unknown; sent?: unknown; takenBack?: unknown; added?: unknown; at?: unknown };

/**
 * Opens the journal of an import, or begins one.
 *
 * @param fileHash the hash of the CSV file as it is now
 * @param clock Unix milliseconds
 * @throws ImportError when the file is no journal or cannot be written
 */
export function openJournal(path: string, fileHash: string, clock: () => number): Journal {
  const text = readJournal(path);
  const [first, ...entries] = text.split('\n').map(readLine);
  const importId = text === '' ? fileHash : idIn(first, path);
  const { added, sent } = stateAfter(entries);
  const times = new Map<string, number>();
  const file = openToWrite(path);
  // One system call for each line: what is written stays when the process is killed.
  const write = (entry: object) => void writeSync(file, `${JSON.stringify(entry)}\n`);
  if (text === '') write({ import: importId });
  // The process before this one was killed in the middle of a line.
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

/** A line that was cut off says nothing. */
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

/** What the lines say together: the rows that are in the store, and when others were first sent. */
function stateAfter(entries: readonly Entry[]): { added: Set<string>; sent: Map<string, number> } {
  const added = new Set<string>();
  const sent = new Map<string, number>();
  for (const entry of entries) {
    const time = Date.parse(String(entry.at));
    // Of two runs at once the first one counts.
    if (typeof entry.sent === 'string' && !Number.isNaN(time) && !sent.has(entry.sent)) sent.set(entry.sent, time);
    if (typeof entry.takenBack === 'string') sent.delete(entry.takenBack);
    if (typeof entry.added === 'string') added.add(entry.added);
  }
  return { added, sent };
}
