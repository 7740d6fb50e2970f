import { spawn } from 'node:child_process';
import { readIfThere } from './files.ts';

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

/** Calls a function when npm has ended, because it does not wait for its child, and an orphaned server would keep the port. */
export function afterNpm(stop: () => void): void {
  const npm = npmPid();
  const timer = setInterval(() => {
    if (npmPid() === npm) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}

/** The process ID of npm: of the parent, or on Linux of the shell's parent, because the shell outlives an npm that is killed. */
function npmPid(): string {
  const status = readIfThere(`/proc/${process.ppid}/status`) ?? '';
  const [, parentOfShell] = /^Name:\t\w*sh\n.*^PPid:\t(\d+)/ms.exec(status) ?? [];
  return parentOfShell ?? String(process.ppid);
}
