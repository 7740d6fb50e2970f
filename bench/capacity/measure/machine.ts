import { availableParallelism, cpus, totalmem } from 'node:os';
import { syncsIn } from '../../figures/disk.ts';
import type { Machine } from '../run.ts';

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
