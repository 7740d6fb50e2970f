import { write } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Characters of log that wait to be taken; lines beyond that are left out. */
const CAPACITY = 4_000_000;
/** Bytes that a pipe takes as a whole (PIPE_BUF): lines of several processes that write to one do not mix. */
const PIECE = 4_096;
/** Milliseconds until a write that failed is tried again. */
const RETRY = 100;

/** Takes lines of the log. They leave in the background, so that no request waits for them. */
export interface LogOutput {
  write(line: string): void;
  /** Resolves when all lines are out, or after `timeoutMs` milliseconds. */
  flush(timeoutMs: number): Promise<void>;
}

/**
 * A log that cannot be written stops no service: while its disk is full, or nobody reads the other end of its pipe, lines
 * are left out, and how many stands in the log once it can be written again.
 *
 * @param descriptor of a file or a pipe; a pipe must not block, or a write into a full one keeps the process from ending
 */
export function createLogOutput(descriptor: number, capacity = CAPACITY): LogOutput {
  let lines: string[] = [];
  let waiting = 0;
  let leftOut = 0;
  let isWriting = false;

  function takeLine(line: string): void {
    if (waiting + line.length > capacity) {
      leftOut += 1;
      return;
    }
    lines.push(line);
    waiting += line.length;
    if (!isWriting) void writeLines();
  }

  async function writeLines(): Promise<void> {
    isWriting = true;
    while (lines.length > 0) {
      const taken = lines;
      lines = [];
      for (const piece of piecesOf(taken)) {
        await writeBytes(descriptor, Buffer.from(piece));
        waiting -= piece.length;
      }
      if (leftOut > 0) takeLine(noteOf(leftOut));
      leftOut = 0;
    }
    isWriting = false;
  }

  async function flush(timeoutMs: number): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (isWriting && performance.now() < end) await setTimeout(5);
  }

  return { write: takeLine, flush };
}

/** Whole lines, as many as a pipe takes at once; a longer line is a piece of its own. */
function* piecesOf(lines: readonly string[]): Generator<string> {
  let piece = '';
  for (const line of lines) {
    if (piece !== '' && Buffer.byteLength(piece) + Buffer.byteLength(line) > PIECE) {
      yield piece;
      piece = '';
    }
    piece += line;
  }
  yield piece;
}

/** In the form of the other lines; 40 is a warning. */
function noteOf(leftOut: number): string {
  const msg = 'lines are missing here: the log could not be written fast enough';
  return `${JSON.stringify({ level: 40, time: Date.now(), leftOut, msg })}\n`;
}

/** Writes all of it, however long that takes: EAGAIN of a full pipe and ENOSPC of a full disk end some time. */
async function writeBytes(descriptor: number, bytes: Buffer): Promise<void> {
  for (let rest = bytes; rest.length > 0; ) {
    const written = await writeSome(descriptor, rest);
    if (written === 0) await setTimeout(RETRY, undefined, { ref: false });
    rest = rest.subarray(written);
  }
}

/** How many bytes were taken. */
function writeSome(descriptor: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve) => {
    write(descriptor, bytes, (error, written) => resolve(error === null ? written : 0));
  });
}
