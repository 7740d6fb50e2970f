/** A thread that does one half of what follows from openapi.yaml, each time it is asked to. */
import { parentPort, workerData } from 'node:worker_threads';
import { keepRedoclyLoaded } from '../redocly/keep-loaded.ts';
import { generate } from './generate.ts';
import { lint } from './lint.ts';
import type { Half, Report, Result } from './result.ts';

/** Code that ran a few times was compiled for speed: the first save takes a third of the time. */
const WARM_UP_ROUNDS = 3;

const what: Half = workerData;
const work = { lint, types: generate }[what];
let isWarm = false;
// One round at a time: an older one must not write over a newer one.
let rounds = Promise.resolve();

keepRedoclyLoaded();
parentPort?.on('message', () => {
  rounds = rounds.then(async () => {
    await follow(report);
    parentPort?.postMessage('done');
    if (!isWarm) void warmUp();
  });
});

async function follow(tell: Report): Promise<void> {
  try {
    await work(tell);
  } catch (error) {
    tell({ kind: 'failed', what, reason: error instanceof Error ? error.message : String(error) });
  }
}

async function warmUp(): Promise<void> {
  isWarm = true;
  for (let count = 0; count < WARM_UP_ROUNDS; count += 1) {
    // A save that came in between goes first.
    await new Promise(setImmediate);
    rounds = rounds.then(() => follow(reportNews));
    await rounds;
  }
}

/** Nobody asked for this round, but it may be the one that meets a change. */
function reportNews(result: Result): void {
  if ((result.kind === 'types' && result.written.length > 0) || (result.kind === 'docs' && result.isNew))
    report(result);
}

function report(result: Result): void {
  parentPort?.postMessage(result);
}
