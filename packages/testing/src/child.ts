import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export type RunningChild = {
  pid: number;
  /** The output so far, including stderr. */
  output: () => string;
  /** Resolves to the output from now on once it matches the pattern. Rejects with the output after three minutes. */
  printed: (pattern: RegExp) => Promise<string>;
  /** Discards the output so far. */
  clearOutput: () => void;
  kill: (signal: NodeJS.Signals) => void;
  ended: Promise<number | NodeJS.Signals | null>;
};

/** Runs a script with Node.js as a user would, in a given folder and environment. */
export function runNode(folder: string, parameters: string[], environment: Record<string, string>): RunningChild {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, parameters, {
    cwd: folder,
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      output += bytes;
    });
  }
  return {
    pid: child.pid ?? 0,
    output: () => output,
    printed: async (pattern) => {
      await eventually(
        () => pattern.test(output),
        () => `${pattern} was not printed:\n${output}`,
        3,
      );
      return output;
    },
    clearOutput: () => {
      output = '';
    },
    kill: (signal) => void child.kill(signal),
    ended: endOf(child),
  };
}

/** Resolves when a condition becomes true. Rejects with a reason after a minute, or the given number of them. */
export async function eventually(
  isTrue: () => boolean | Promise<boolean>,
  reason: () => string,
  minutes = 1,
): Promise<void> {
  const deadline = performance.now() + minutes * 60_000;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(reason());
    await sleep(20);
  }
}

function endOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
}
