import { type Results, ratiosOf, type Spread, spreadOf } from './results.ts';
import type { EngineName } from './server.ts';
import { type WorkloadName, workloadsOn } from './workloads.ts';

/** A goal for the median of a figure. */
export type Target = {
  figure: string;
  /** One value for each round; none if the run did not measure the figure. */
  valuesIn: (results: Results) => number[];
} & ({ atLeast: number } | { atMost: number });

export const targets: Readonly<Record<EngineName, readonly Target[]>> = {
  sqlite: [
    rate('list, hot page', 1.5),
    rate('list, random pages', 1),
    rate('list, random pages, 5 % writes', 1),
    rate('get by random id', 1),
    rate('create, durable', 2.5),
    { figure: 'last operation ÷ first', valuesIn: ({ lastOperation }) => lastOperation, atLeast: 0.95 },
    { figure: 'resident memory', valuesIn: ({ resident }) => [resident.own / resident.peer], atMost: 1.3 },
    { figure: 'start to first response, ms', valuesIn: ({ starts }) => starts, atMost: 300 },
  ],
  postgres: [
    rate('list, random pages', 1.1),
    rate('get by random id', 1.2),
    rate('get, 5,000 keys', 0.65),
    rate('create, durable', 1.2),
    ...workloadsOn('postgres').map(
      (name): Target => ({
        figure: `${name}: p99`,
        valuesIn: (results) => ratiosIn(results, name, 'p99'),
        atMost: 1.2,
      }),
    ),
  ],
};

function rate(workload: WorkloadName, atLeast: number): Target {
  return { figure: workload, valuesIn: (results) => ratiosIn(results, workload, 'rate'), atLeast };
}

/** Our figure divided by the peer's, within each round. */
function ratiosIn({ samples }: Results, workload: WorkloadName, figure: 'rate' | 'p99'): number[] {
  const { own, peer } = samples[workload] ?? { own: [], peer: [] };
  return ratiosOf(
    own.map((sample) => sample[figure]),
    peer.map((sample) => sample[figure]),
  );
}

export type Verdict = { target: Target; spread: Spread; met: boolean };

/** The targets that a run measured. */
export function verdictsOn(results: Results): Verdict[] {
  return targets[results.engine].flatMap((target) => {
    const values = target.valuesIn(results).filter(Number.isFinite);
    if (values.length === 0) return [];
    const spread = spreadOf(values);
    const met = 'atLeast' in target ? spread.median >= target.atLeast : spread.median <= target.atMost;
    return [{ target, spread, met }];
  });
}

/**
 * Whether three of four rounds missed a target by a factor of two. The median alone would fail a run in which something else
 * disturbed half of the rounds.
 */
export function isClearlyMissed({ target, spread }: Verdict): boolean {
  return 'atLeast' in target ? spread.high < target.atLeast / 2 : spread.low > target.atMost * 2;
}
