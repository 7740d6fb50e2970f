import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Cores } from '../server/cores.ts';
import { spreadOf } from '../statistics.ts';
import type { Results } from './results.ts';

const SYNCS = 200;

/** The parts of the machine that the figures depend on. The disk is the one with the folder. */
export function describeMachine(folder: string, cores: Cores | undefined): Results['machine'] {
  const [first] = cpus();
  return {
    cores: cpus().length,
    processor: first?.model.trim() ?? 'unknown',
    node: process.version,
    pinned: cores !== undefined,
    syncMs: medianSync(folder),
  };
}

/** Milliseconds for 4 KB at the end of a file to reach the disk. */
function medianSync(folder: string): number {
  const path = join(folder, 'syncs');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4_096, 1);
  const times = Array.from({ length: SYNCS }, () => {
    const startedAt = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  rmSync(path);
  return spreadOf(times).median;
}
