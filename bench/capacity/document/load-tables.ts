import { table } from '../../../scripts/docs/facts/words.ts';
import { type FleetNeed, fleet, fleetWithoutRedis, HEADROOM, oneMachine, type Use } from '../model/bottleneck.ts';
import { keyReads, type Load } from '../model/costs.ts';
import { smallestPlan } from '../model/plans.ts';
import type { CapacityRun } from '../run.ts';
import { count, figures, percent } from './cells.ts';

const catalogues = [10_000, 1_000_000, 100_000_000];
const populations = [10, 10_000, 1_000_000];
const rates = [1, 100, 10_000];

/** The plan that each key of a population needs, when all of them ask equally often. */
export function planTable(): string {
  const rows = rates.map((rate) => [
    `${figures(rate)} requests/s`,
    ...populations.map((keys) => `${smallestPlan(rate / keys)} (${figures((rate * 60) / keys)} a minute)`),
  ]);
  return table(['all keys together', ...populations.map((keys) => `${count(keys)} keys`)], rows);
}

/** What is used up first on one machine. */
export function bottleneckTable(run: CapacityRun): string {
  return loadTable((load) => {
    const [first] = oneMachine(run, load);
    return first === undefined ? '' : useCell(first);
  });
}

/** What is used up first where servers can be added. */
export function fleetTable(run: CapacityRun): string {
  return loadTable((load) => {
    const need = fleet(run, load);
    return need === undefined ? 'not measured' : useCell(need.first);
  });
}

/** What a rate needs, with 10 thousand keys; with Redis, and without. */
export function fleetNeedTable(run: CapacityRun): string {
  const rows = [...rates, 100_000].flatMap((rate) => {
    const load = { animals: 1_000_000, keys: 10_000, rate };
    const needs = [
      { counting: 'Redis', need: fleet(run, load) },
      { counting: 'PostgreSQL', need: fleetWithoutRedis(run, load) },
    ];
    return needs.map(({ counting, need }) => [figures(rate), counting, ...needCells(need), percent(keyReads(load))]);
  });
  const heading = ['cores of servers', 'core of Redis', 'cores of PostgreSQL'];
  return table(['requests/s', 'counted in', ...heading, 'keys read again'], rows);
}

function needCells(need: FleetNeed | undefined): string[] {
  if (need === undefined) return ['not measured', '', ''];
  const { serverCores, redis, postgresCores } = need;
  return [figures(serverCores), redis === 0 ? '' : percent(redis), figures(postgresCores)];
}

function loadTable(cellOf: (load: Load) => string): string {
  const rows = catalogues.flatMap((animals) =>
    rates.map((rate) => [count(animals), figures(rate), ...populations.map((keys) => cellOf({ animals, keys, rate }))]),
  );
  return table(['animals', 'requests/s', ...populations.map((keys) => `${count(keys)} keys`)], rows);
}

/** Bold where it is too much. */
function useCell({ what, used }: Use): string {
  const cell = `${what} ${percent(used)}`;
  return used > HEADROOM ? `**${cell}**` : cell;
}
