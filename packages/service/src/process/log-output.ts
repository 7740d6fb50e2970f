import { once } from 'node:events';
import { fstatSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import sonicBoom from 'sonic-boom';
import { withTimeout } from '../common/time.ts';

/** The most bytes of log in memory. Further lines are dropped, so that a full disk or pipe does not block requests. */
const MAX_BUFFERED = 4_000_000;
/** The most bytes of error lines in memory that exceed it: about 10,000 of them. */
const MAX_ERRORS = 8_000_000;
/** Writes of at most PIPE_BUF bytes are atomic, so lines of several processes on one pipe do not mix. */
const PIPE_BUF = 4_096;
/** One write takes a turn of the event loop at least, in which 50 busy connections log 15 kB. */
const MAX_WRITE = 262_144;
/** Milliseconds until a full pipe is tried again. In that time a server logs some 100 kB; a pipe holds 64. */
const RETRY_INTERVAL = 5;

export type LogOutput = {
  write(line: string): void;
  /** Resolves when all lines are written, or after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
  /** The number of lines that were dropped. */
  readonly dropped: DroppedLines;
};

/** `errors` are lines of the levels error and fatal. */
export type DroppedLines = { readonly errors: number; readonly others: number };

/**
 * Writes the log in the background with pino's own writer. Drops lines that exceed the buffer, and logs their number once
 * writing works again. Errors have a separate buffer, because the cause of a 500 is recorded nowhere else.
 *
 * @param descriptor a file or a non-blocking pipe; a blocking pipe could keep the process from exiting
 */
export function createLogOutput(descriptor: number, { maxBuffered = MAX_BUFFERED, isShared = false } = {}): LogOutput {
  const maxWrite = isShared && !fstatSync(descriptor).isFile() ? PIPE_BUF : MAX_WRITE;
  const output = new sonicBoom.SonicBoom({
    ...{ fd: descriptor, sync: false, maxLength: maxBuffered, maxWrite },
    // Appending to text would measure the whole text for each line.
    contentMode: 'buffer',
    // By default it waits 100 ms, which limits a pipe to 640 kB per second.
    retryEAGAIN: () => false,
  });
  const dropped = { errors: 0, others: 0 };
  let droppedNow = 0;
  let errors: Buffer[] = [];
  let errorBytes = 0;
  let isIdle = true;
  let isRetrying = false;

  output.on('drop', (line: Buffer) => {
    const isError = isErrorLine(line);
    if (isError && errorBytes + line.length <= MAX_ERRORS) {
      errors.push(line);
      errorBytes += line.length;
      return;
    }
    dropped[isError ? 'errors' : 'others'] += 1;
    droppedNow += 1;
  });
  output.on('drain', () => {
    isIdle = true;
    const kept = errors;
    errors = [];
    errorBytes = 0;
    for (const line of kept) send(line);
    // Those that did not fit into the buffer follow with the next 'drain'.
    if (errors.length > 0 || droppedNow === 0) return;
    const note = droppedNote(droppedNow);
    droppedNow = 0;
    write(note);
  });
  // A full pipe, or a full disk.
  output.on('error', () => {
    if (isRetrying) return;
    isRetrying = true;
    setTimeout(() => {
      isRetrying = false;
      if (!isIdle) send(EMPTY);
    }, RETRY_INTERVAL).unref();
  });

  function send(line: Buffer): void {
    isIdle = false;
    // The type of `write` knows only text.
    Reflect.apply(output.write, output, [line]);
  }

  function write(line: string): void {
    send(Buffer.from(line));
  }

  async function flush(timeoutMs: number): Promise<void> {
    const drained = async () => {
      while (!isIdle) await once(output, 'drain');
    };
    await withTimeout(drained(), timeoutMs).catch(() => {});
  }

  return { write, flush, dropped };
}

/** An empty write retries one that failed. */
const EMPTY = Buffer.alloc(0);

/** Whether a line of pino has the level 50 (error) or 60 (fatal). */
function isErrorLine(line: Buffer): boolean {
  return /^\{"level":[56]0,/.test(line.toString('latin1', 0, 12));
}

/**
 * A formatter of log lines for a terminal: one line per request, with the stack of an error below its line. Paths of this project
 * are relative to the working directory, so that terminals turn them into links. Undefined if pino-pretty, a development
 * dependency, is not installed.
 */
export async function createTerminalFormat(colorize: boolean): Promise<((line: string) => string) | undefined> {
  const pretty = await import('pino-pretty').catch(() => undefined);
  const format = pretty?.prettyFactory({
    colorize,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: ['pid', 'hostname', ...requestFields].join(','),
    messageFormat: summaryOf,
    singleLine: true,
  });
  const folder = pathToFileURL(`${process.cwd()}/`).href;
  return format && ((line) => format(line).replaceAll(folder, ''));
}

/** The fields of log lines about requests, in the order in which a terminal shows them. */
const requestFields = ['method', 'path', 'status', 'code', 'ms', 'operation', 'keyId', 'requestId'];

/** The fields of a request in place of the message "request", and after any other message. */
function summaryOf({ msg, ...log }: Record<string, unknown>): string {
  const given = requestFields.filter((name) => log[name] !== undefined);
  const fields = given.map((name) => (name === 'ms' ? `${log[name]} ms` : log[name]));
  // pino-pretty removes control characters only from the fields that it formats itself.
  return [...(msg === 'request' ? [] : [msg]), ...fields].join(' ').replaceAll(/\p{Cc}/gu, '');
}

/** In pino's format; level 40 is a warning. */
function droppedNote(dropped: number): string {
  const msg = 'log lines were dropped because the log could not be written fast enough';
  return `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg })}\n`;
}
