import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { type Spread, spreadOf } from '../../statistics.ts';
import type { Machine } from '../run.ts';

const SYNCS = 200;

/** What the numbers were measured on. */
export function machineOf(folder: string): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memory: totalmem(),
    node: process.versions.node,
    sync: syncsIn(folder),
  };
}

/** Microseconds until 4 KB at the end of a file are on the disk. */
function syncsIn(folder: string): Spread {
  const path = join(folder, 'syncs');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4_096, 1);
  try {
    const times = Array.from({ length: SYNCS }, () => {
      const startedAt = performance.now();
      writeSync(file, page);
      fdatasyncSync(file);
      return (performance.now() - startedAt) * 1_000;
    });
    return spreadOf(times);
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
