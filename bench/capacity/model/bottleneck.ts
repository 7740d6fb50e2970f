import type { CapacityRun } from '../run.ts';
import { type AverageCost, averageCost, bytesAt, type Load, mix } from './costs.ts';

/** The part of its time that something may be at work: above it, requests wait for each other. */
export const HEADROOM = 0.7;

const SECOND = 1_000_000;

/** Something that can be used up, and how far a load uses it up: 1 is all of it. */
export type Use = { what: string; used: number };

/** One machine like the measured one: SQLite, a process for each core. The use of each thing, the most used first. */
export function oneMachine(run: CapacityRun, load: Load): Use[] {
  const { cores, memory } = run.machine;
  const { server } = averageCost(run, 'SQLite', load);
  const { together, usageRow } = run.writes.SQLite;
  const usageRows = Math.min(load.keys, load.rate);
  return byUse([
    { what: 'cores', used: (load.rate * server + usageRows * usageRow.processor.median) / (cores * SECOND) },
    {
      what: 'writer',
      used: (load.rate * mix.create * together.wall.median + usageRows * usageRow.wall.median) / SECOND,
    },
    { what: 'memory', used: (bytesAt(run, 'SQLite', load.animals) + load.keys * run.bytesPerCountedKey) / memory },
  ]);
}

/** What servers on PostgreSQL need for a load, with Redis or without. */
export type FleetNeed = {
  /** Cores of servers, with headroom. */
  serverCores: number;
  /** The one core of Redis; 0 without it. */
  redis: number;
  /** Cores of PostgreSQL, with headroom. */
  postgresCores: number;
  /** Of a machine like the measured one, for PostgreSQL's animals. */
  memory: number;
  /** What is used up first, where servers can be added: Redis, or a PostgreSQL on a machine like the measured one. */
  first: Use;
};

/** With Redis; undefined where it was not measured. */
export function fleet(run: CapacityRun, load: Load): FleetNeed | undefined {
  const { unknownOnRedis } = run.requests;
  if (unknownOnRedis?.engine === undefined) return undefined;
  return needOf(run, load, averageCost(run, 'PostgreSQL and Redis', load), unknownOnRedis.engine.median);
}

/** Without Redis: PostgreSQL counts, too. */
export function fleetWithoutRedis(run: CapacityRun, load: Load): FleetNeed {
  return needOf(run, load, averageCost(run, 'PostgreSQL', load), 0);
}

function needOf(run: CapacityRun, load: Load, { server, engine }: AverageCost, perCount: number): FleetNeed {
  const serverCores = (load.rate * server) / SECOND;
  const postgresCores = (load.rate * engine) / SECOND;
  const redis = (load.rate * perCount) / SECOND;
  const memory = bytesAt(run, 'PostgreSQL', load.animals) / run.machine.memory;
  const [first] = byUse([
    { what: 'Redis', used: redis },
    { what: 'PostgreSQL', used: postgresCores / run.machine.cores },
    { what: "PostgreSQL's memory", used: memory },
  ]);
  if (first === undefined) throw new Error('There is always a first bottleneck.');
  return { serverCores: serverCores / HEADROOM, redis, postgresCores: postgresCores / HEADROOM, memory, first };
}

/** Requests of the mix that a number of cores carries in a second, with headroom, on SQLite. */
export function carriedBy(run: CapacityRun, cores: number, load: Omit<Load, 'rate'>): number {
  // The rate changes how often keys are read, which is little beside the rest; a second look settles it.
  const first = (cores * SECOND * HEADROOM) / averageCost(run, 'SQLite', { ...load, rate: 1_000 * cores }).server;
  return (cores * SECOND * HEADROOM) / averageCost(run, 'SQLite', { ...load, rate: first }).server;
}

function byUse(uses: Use[]): Use[] {
  return uses.toSorted((a, b) => b.used - a.used);
}
