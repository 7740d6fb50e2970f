import { cpus } from 'node:os';
import { syncsIn } from '../../figures/disk.ts';
import type { Cores } from '../../server/cores.ts';
import type { Results } from '../results.ts';

/** What figures depend on: the processor, the run time, and how long the disk of a folder takes to keep a write. */
export function describeMachine(folder: string, cores: Cores | undefined): Results['machine'] {
  const [first] = cpus();
  return {
    cores: cpus().length,
    processor: first?.model.trim() ?? 'an unknown processor',
    node: process.version,
    pinned: cores !== undefined,
    sync: syncsIn(folder).median / 1_000,
  };
}
