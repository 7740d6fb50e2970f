import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import sonicBoom from 'sonic-boom';

/** The most characters of log in memory. Further lines are dropped, so that a full disk or pipe does not block requests. */
const MAX_BUFFERED = 4_000_000;
/** Writes of at most PIPE_BUF bytes are atomic, so lines of several processes on one pipe do not mix. */
const MAX_WRITE = 4_096;

export interface LogOutput {
  write(line: string): void;
  /** Resolves when all lines are written, or after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
}

/**
 * Writes the log in the background with pino's own writer. Drops lines that exceed the buffer, and logs their number once
 * writing works again.
 *
 * @param descriptor a file or a non-blocking pipe; a blocking pipe could keep the process from exiting
 */
export function createLogOutput(descriptor: number, maxBuffered = MAX_BUFFERED): LogOutput {
  const output = new sonicBoom.SonicBoom({ fd: descriptor, sync: false, maxLength: maxBuffered, maxWrite: MAX_WRITE });
  let dropped = 0;
  let isIdle = true;
  output.on('drop', () => {
    dropped += 1;
  });
  output.on('drain', () => {
    isIdle = true;
    if (dropped === 0) return;
    const note = droppedNote(dropped);
    dropped = 0;
    write(note);
  });
  // The next line retries a failed write, such as one to a full disk.
  output.on('error', () => {});

  function write(line: string): void {
    isIdle = false;
    output.write(line);
  }

  async function flush(timeoutMs: number): Promise<void> {
    if (isIdle) return;
    const timeout = new AbortController();
    // An empty write retries one that failed.
    output.write('');
    await Promise.race([once(output, 'drain', { signal: timeout.signal }), setTimeout(timeoutMs)]).catch(() => {});
    timeout.abort();
  }

  return { write, flush };
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
  // pino-pretty removes control characters only from what it formats itself.
  return [...(msg === 'request' ? [] : [msg]), ...fields].join(' ').replaceAll(/\p{Cc}/gu, '');
}

/** In pino's format; level 40 is a warning. */
function droppedNote(dropped: number): string {
  const msg = 'log lines were dropped because the log could not be written fast enough';
  return `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg })}\n`;
}
