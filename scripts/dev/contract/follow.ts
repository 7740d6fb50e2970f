import { Worker } from 'node:worker_threads';
import type { Half, Report } from './result.ts';

export type ContractFollower = {
  /** Has everything that follows from the contract made again. */
  follow: () => void;
  /** Loads the generators and the rules anew, then follows. */
  reload: () => void;
};

/** Keeps two threads ready, as lint need not wait for the generators, nor they for it. */
export function followContract(report: Report): ContractFollower {
  let halves = start();

  function start() {
    return [startHalf('lint', report), startHalf('types', report)];
  }

  function follow(): void {
    for (const half of halves) half.run();
  }

  function reload(): void {
    for (const half of halves) half.end();
    halves = start();
    follow();
  }

  return { follow, reload };
}

/** A change that comes while a half is busy has it run once more, however many there were. */
function startHalf(what: Half, report: Report) {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData: what });
  let state: 'idle' | 'busy' | 'again' = 'idle';

  function run(): void {
    if (state === 'idle') thread.postMessage('run');
    state = state === 'idle' ? 'busy' : 'again';
  }

  thread.on('message', (message) => {
    if (message !== 'done') return report(message);
    const again = state === 'again';
    state = 'idle';
    if (again) run();
  });
  thread.on('error', (error) => {
    report({ kind: 'failed', what, reason: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });

  function end(): void {
    thread.removeAllListeners();
    void thread.terminate();
  }

  return { run, end };
}
