import { ratiosOf, type Spread, spreadOf } from '../statistics.ts';
import type { EngineName } from './data.ts';
import type { Results, Sample } from './results.ts';
import { animalStore, lean, type ServerName } from './servers.ts';
import type { WorkloadName } from './workloads.ts';

/** A goal for the median over the rounds of a run. */
export type Target =
  /** Our rate divided by a peer's rate in the same workload. */
  | { kind: 'rate'; workload: WorkloadName; against: ServerName; atLeast: number }
  /** Our rate in a workload divided by our rate in another workload. */
  | { kind: 'own rate'; workload: WorkloadName; against: WorkloadName; atLeast: number }
  /** Our 99th percentile of latencies divided by a peer's in the same workload. */
  | { kind: 'p99'; workload: WorkloadName; against: ServerName; atMost: number }
  /** Our transactions that write, or our round trips to PostgreSQL, for each response. */
  | { kind: 'commits' | 'round trips'; workload: WorkloadName; atMost: number }
  /** Our resident memory divided by a peer's. */
  | { kind: 'memory'; against: ServerName; atMost: number }
  /** Milliseconds from the start of the process to its first response. */
  | { kind: 'start'; atMost: number };

const [page, get, create] = ['list, hot page', 'get by random id', 'create, durable'] as const;
const pagesAndWrites = 'list, random pages, 5 % writes';

const rates: [WorkloadName, ServerName, number][] = [
  [page, 'Fastify', 1.5],
  ['list, random pages', 'Fastify', 1.2],
  [pagesAndWrites, 'Fastify', 1],
  [get, 'Fastify', 1.2],
  [create, 'Fastify', 2.5],
  [page, 'Fastify, lean', 1.5],
  [get, 'Fastify, lean', 1.1],
  [create, 'Fastify, lean', 2.5],
  [page, 'Express 5 + validator', 2],
  [pagesAndWrites, 'Express 5 + validator', 2],
  [get, 'Express 5 + validator', 2],
  [create, 'Express 5 + validator', 2],
  [page, 'node:http', 1],
];
const cheapErrors: WorkloadName[] = [
  '401, missing or unknown key',
  '429, key over its quota',
  '429, address over its quota',
];

/** On PostgreSQL, the lean peer is the measure: it does not count in the database, and commits each creation on its own. */
const reads: WorkloadName[] = [
  page,
  'list, random pages',
  get,
  'get, 5,000 keys',
  'list, two processes',
  'get, two processes',
];
const creations: WorkloadName[] = [create, 'create, two processes'];

export const targets: Readonly<Record<EngineName, readonly Target[]>> = {
  sqlite: [
    ...rates.map(([workload, against, atLeast]): Target => ({ kind: 'rate', workload, against, atLeast })),
    ...cheapErrors.map(
      (workload): Target => ({ kind: 'own rate', workload, against: '200, random pages', atLeast: 1.5 }),
    ),
    { kind: 'memory', against: 'Fastify, lean', atMost: 1.3 },
    { kind: 'start', atMost: 300 },
  ],
  postgres: [
    ...reads.map((workload): Target => ({ kind: 'rate', workload, against: lean, atLeast: 0.95 })),
    ...creations.map((workload): Target => ({ kind: 'rate', workload, against: lean, atLeast: 1.5 })),
    ...[...reads, ...creations].map((workload): Target => ({ kind: 'p99', workload, against: lean, atMost: 1.3 })),
    ...reads.map((workload): Target => ({ kind: 'round trips', workload, atMost: 1 })),
    ...creations.map((workload): Target => ({ kind: 'round trips', workload, atMost: 2 })),
    ...reads.map((workload): Target => ({ kind: 'commits', workload, atMost: 0.1 })),
  ],
};

/** The targets of the engine that a run measured. */
export function targetsOf({ database }: Pick<Results, 'database'>): readonly Target[] {
  return targets[database === undefined ? 'sqlite' : 'postgres'];
}

/** The measured values of a target; `spread` and `met` are undefined if the run did not measure it. */
export type Verdict = { target: Target; spread: Spread | undefined; met: boolean | undefined };

export function verdictOf(results: Results, target: Target): Verdict {
  const values = valuesOf(results, target);
  if (values.length === 0) return { target, spread: undefined, met: undefined };
  const spread = spreadOf(values);
  const met = 'atLeast' in target ? spread.median >= target.atLeast : spread.median <= target.atMost;
  return { target, spread, met };
}

/**
 * Whether three of four rounds missed a target by a factor of two. The median alone would fail a run in which something else
 * disturbed half of the rounds.
 */
export function isClearlyMissed({ target, spread }: Verdict): boolean {
  if (spread === undefined) return false;
  return 'atLeast' in target ? spread.high < target.atLeast / 2 : spread.low > target.atMost * 2;
}

/** Our rates divided by those of a peer in the same workload, one per round; or the rates of another server, or another figure. */
export function ratiosAgainst(
  { samples }: Results,
  workload: WorkloadName,
  peer: ServerName,
  { server = animalStore, figure = 'rate' }: { server?: ServerName; figure?: 'rate' | 'p99' } = {},
): number[] {
  const figures = (of: ServerName) => (samples[workload]?.[of] ?? []).map((sample) => sample[figure]);
  return ratiosOf(figures(server), figures(peer));
}

function valuesOf(results: Results, target: Target): number[] {
  const { samples, resident, startups, roundTrips } = results;
  switch (target.kind) {
    case 'rate':
      return ratiosAgainst(results, target.workload, target.against);
    case 'own rate': {
      const base = ratesOf(samples[target.against]?.[animalStore]);
      return ratiosOf(ratesOf(samples[target.workload]?.[animalStore]), base);
    }
    case 'p99':
      return ratiosAgainst(results, target.workload, target.against, { figure: 'p99' });
    case 'commits':
      return (samples[target.workload]?.[animalStore] ?? []).flatMap(({ commits }) => commits ?? []);
    case 'round trips':
      return [roundTrips?.[target.workload]?.[animalStore] ?? []].flat();
    case 'memory': {
      const [own, peer] = [resident[animalStore], resident[target.against]];
      return own === undefined || peer === undefined ? [] : [own / peer];
    }
    case 'start':
      return startups[animalStore] ?? [];
  }
}

function ratesOf(samples: Sample[] = []): number[] {
  return samples.map(({ rate }) => rate);
}
