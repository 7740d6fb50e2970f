import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
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

/** In pino's format; level 40 is a warning. */
function droppedNote(dropped: number): string {
  const msg = 'log lines were dropped because the log could not be written fast enough';
  return `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg })}\n`;
}
