import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Cores } from '../cores.ts';
import { spreadOf } from '../statistics.ts';
import type { Results } from './results.ts';

const WRITES = 200;

/** What figures depend on: the processor, the run time, and how long the disk of a folder takes to keep a write. */
export function describeMachine(folder: string, cores: Cores | undefined): Results['machine'] {
  const [first] = cpus();
  return {
    cores: cpus().length,
    processor: first?.model.trim() ?? 'an unknown processor',
    node: process.version,
    pinned: cores !== undefined,
    sync: millisecondsToSync(folder),
  };
}

function millisecondsToSync(folder: string): number {
  const path = join(folder, 'sync');
  const file = openSync(path, 'w');
  const times = Array.from({ length: WRITES }, () => {
    const startedAt = performance.now();
    writeSync(file, Buffer.alloc(4_096));
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  rmSync(path);
  return spreadOf(times).median;
}
