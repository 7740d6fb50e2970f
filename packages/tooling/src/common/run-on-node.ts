import { spawn } from 'node:child_process';

/** Runs a program with a Node.js until it ends, and ends with its status. */
export function runOnNode(node: string, parameters: readonly string[]): Promise<void> {
  const child = spawn(node, parameters, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  afterNpm(() => child.kill());
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.exitCode = code ?? 1;
      resolve();
    });
  });
}

/** Calls a function when the parent has ended: npm does not wait for its child, and an orphaned server would keep the port. */
export function afterNpm(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}
