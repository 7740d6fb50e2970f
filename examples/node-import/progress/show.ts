import type { Progress } from './progress.ts';
import { barLine, progressText } from './text.ts';

/** The destination of the progress: a terminal, a file or a pipe. */
export type ProgressOutput = { isTTY?: boolean; columns?: number; write: (text: string) => unknown };

export type Shown = {
  /** Writes a separate line above the bar. */
  say: (line: string) => void;
  /** Shows the progress for the last time. */
  end: () => void;
};

/** Milliseconds between two updates of a terminal. */
const FRAME = 100;

/** Milliseconds between two lines of a log, and between two lines about the same wait. */
const LINE = 5_000;
const WAITING_LINE = 60_000;

/** Shows the progress of an import until it ends: a bar if it can be redrawn, otherwise a line from time to time. */
export function showProgress(output: ProgressOutput, progress: Progress, clock: () => number): Shown {
  const shown = output.isTTY === true ? showBar(output, progress, clock) : showLines(output, progress, clock);
  const timer = setInterval(shown.tick, FRAME);
  shown.tick();
  return {
    say: shown.say,
    end() {
      clearInterval(timer);
      shown.end();
    },
  };
}

type Style = Shown & { tick: () => void };

/** Moves to the start of the line, and erases the line (ECMA-48: EL). */
const CLEAR = '\r\u001b[K';

function showBar(output: ProgressOutput, progress: Progress, clock: () => number): Style {
  const tick = () => void output.write(`${CLEAR}${barLine(progress, clock(), output.columns ?? 80)}`);
  return {
    tick,
    say(line) {
      output.write(`${CLEAR}${line}\n`);
      tick();
    },
    end() {
      tick();
      output.write('\n');
    },
  };
}

function showLines(output: ProgressOutput, progress: Progress, clock: () => number): Style {
  let nextAt = 0;
  let saidHold: string | undefined;
  const write = () => void output.write(`${progressText(progress, clock())}\n`);
  return {
    tick() {
      const { hold } = progress;
      const isNews = hold?.kind !== saidHold;
      if (clock() < nextAt && !isNews) return;
      saidHold = hold?.kind;
      nextAt = clock() + (hold === undefined ? LINE : WAITING_LINE);
      write();
    },
    say: (line) => void output.write(`${line}\n`),
    end: write,
  };
}
