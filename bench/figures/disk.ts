import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Spread, spreadOf } from './statistics.ts';

const SYNCS = 200;

/** Microseconds until 4 KB at the end of a file are on the disk of a folder. */
export function syncsIn(folder: string): Spread {
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
