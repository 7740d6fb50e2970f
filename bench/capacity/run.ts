import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/root.ts';
import type { Spread } from '../figures/statistics.ts';
import type { SimulationOptions, WayResult } from '../limiter-simulation/simulate.ts';
import type { CallName, Populations } from './measure/calls.ts';
import type { RequestName } from './measure/requests/kinds.ts';

/** All that one run of `npm run bench:capacity` found out. Times are microseconds, sizes bytes. */
export type CapacityRun = {
  machine: Machine;
  /** Pages per second of as many processes as there are cores, and how busy the load was on the same machine. */
  workers: { processes: number; rate: Spread; load: Spread };
  requests: Partial<Record<RequestName, RequestCost>>;
  /** Keys among which one is counted in memory. */
  populations: Populations;
  calls: Record<CallName, Spread>;
  /** What a key that was counted takes in a process. */
  bytesPerCountedKey: number;
  catalogues: CatalogueCost[];
  writes: Record<Engine, WriteCost>;
  simulation: { options: SimulationOptions; ways: WayResult[] };
};

export type Engine = 'SQLite' | 'PostgreSQL';

export type Machine = {
  cores: number;
  processor: string;
  memory: number;
  node: string;
  /** Until 4 KB are on the disk. */
  sync: Spread;
};

/** What a request costs. */
export type RequestCost = {
  /** Processor time of the server's process, and in each round: what slows a round falls out of a difference. */
  server: Spread;
  rounds: number[];
  /** Processor time of PostgreSQL or Redis, where one is asked. */
  engine?: Spread;
  /** Replies per second of one process on one core, as asked by so many connections. */
  rate: Spread;
  connections: number;
};

/** What a call of the storage costs, one after the other. */
export type StorageCost = { wall: Spread; processor: Spread; engine?: Spread };

/** What is read in catalogues of several sizes: pages at three places, and one animal by its id. */
export type Reading = 'firstPage' | 'deepPage' | 'anyPage' | 'oneAnimal';

export type CatalogueCost = Record<Reading, StorageCost> & {
  engine: Engine;
  animals: number;
  tableBytes: number;
  indexBytes: number;
  /** Levels of the index by status; only SQLite says. */
  levels?: number;
};

export type WriteCost = {
  alone: StorageCost;
  /** So many at once, each. */
  together: StorageCost;
  atOnce: number;
  /** Writing down where one of 1,000 keys stands. */
  usageRow: StorageCost;
};

/** Where a run is kept, and what the document is made from. */
export const runFile = join(root, 'docs/capacity/figures.json');

export function readRun(file: string = runFile): CapacityRun {
  return JSON.parse(readFileSync(file, 'utf8'));
}
