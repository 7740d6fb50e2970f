import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import sonicBoom from 'sonic-boom';

/** Characters of log in memory. More lines are dropped, so that a full disk or an unread pipe stops no request. */
const MAX_BUFFERED = 4_000_000;
/** The bytes that a pipe takes at once (PIPE_BUF): lines of several processes on one pipe do not mix. */
const MAX_WRITE = 4_096;

export interface LogOutput {
  write(line: string): void;
  /** Resolves when all lines are written, or after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
}

/**
 * Writes the log in the background with pino's own writer. Lines that do not fit into memory are dropped, and the log says how
 * many once it can be written again.
 *
 * @param descriptor a file or a non-blocking pipe; a blocking one would keep the process from ending
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
  // After a failed write, such as on a full disk, the next line retries.
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

/** In pino's format; level 40 is a warning. */
function droppedNote(dropped: number): string {
  const msg = 'log lines were dropped because the log could not be written fast enough';
  return `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg })}\n`;
}
