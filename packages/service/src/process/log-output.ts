import { once } from 'node:events';
import sonicBoom from 'sonic-boom';
import { withTimeout } from '../common/time.ts';

/** The most bytes of log in memory. Further lines are dropped, so that a full disk or pipe does not block requests. */
const MAX_BUFFERED = 4_000_000;
/** One write takes a turn of the event loop at least, in which 50 busy connections log 15 kB. */
const MAX_WRITE = 262_144;
/** Milliseconds until a full pipe is tried again. In that time a server logs some 100 kB; a pipe holds 64. */
const RETRY_INTERVAL = 5;
/** An empty write retries one that failed. */
const EMPTY = Buffer.alloc(0);

export type LogOutput = {
  write(line: string): void;
  /** Resolves when all lines are written, or after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void>;
  readonly dropped: () => number;
};

/**
 * Writes the log in the background with pino's own writer. Drops lines that exceed the buffer, and logs their number
 * later.
 * @param descriptor a file or a non-blocking pipe; a blocking pipe could keep the process from exiting
 */
export function createLogOutput(descriptor: number, maxBuffered = MAX_BUFFERED): LogOutput {
  const output = new sonicBoom.SonicBoom({
    ...{ fd: descriptor, sync: false, maxLength: maxBuffered, maxWrite: MAX_WRITE },
    // Appending to text would measure the whole text for each line.
    contentMode: 'buffer',
    // By default it waits 100 ms, which limits a pipe to 640 kB per second.
    retryEAGAIN: () => false,
  });
  let dropped = 0;
  let noted = 0;
  let isIdle = true;
  let isRetrying = false;

  output.on('drop', () => {
    dropped += 1;
  });
  output.on('drain', () => {
    isIdle = true;
    if (dropped === noted) return;
    const msg = 'log lines were dropped because the log could not be written fast enough';
    // In pino's format; level 40 is a warning.
    const note = { level: 40, time: Date.now(), dropped: dropped - noted, msg };
    noted = dropped;
    write(`${JSON.stringify(note)}\n`);
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

  return { write, flush, dropped: () => dropped };
}
