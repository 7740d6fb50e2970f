import { table } from '../../../scripts/docs/facts/words.ts';
import { type RequestName, requestKinds } from '../measure/requests/kinds.ts';
import { carriedBy, HEADROOM } from '../model/bottleneck.ts';
import { catalogueAt, mix, requestOf } from '../model/costs.ts';
import type { CapacityRun } from '../run.ts';
import { bytes, count, figures, percent, spread } from './cells.ts';

export function machineLine({ machine }: CapacityRun): string {
  const { cores, processor, memory, node, sync } = machine;
  return `${cores} cores (${processor}), ${bytes(memory)} of memory, Node ${node}. 4 KB are on its disk after ${spread(sync)} µs.`;
}

/** What whole requests cost. */
export function requestTable(run: CapacityRun): string {
  const heading = ['request', 'what', 'server, µs', 'engine, µs', 'requests/s of a core', 'connections'];
  return table(
    heading,
    Object.keys(requestKinds)
      .filter(isRequest)
      .flatMap((name) => rowsOf(run, name)),
  );
}

function rowsOf(run: CapacityRun, name: RequestName): string[][] {
  const cost = run.requests[name];
  if (cost === undefined) return [];
  const { server, engine, connections } = cost;
  const inEngine = engine === undefined ? '' : spread(engine);
  const perSecond = figures(1_000_000 / server.median);
  return [[`\`${name}\``, requestKinds[name], spread(server), inEngine, perSecond, String(connections)]];
}

function isRequest(name: string): name is RequestName {
  return name in requestKinds;
}

/** Sizes of machines that the document speaks of, in cores. */
const machines = [1, 4, 16, 64];

/** Keys whose requests they carry: few enough that each process remembers all. */
const KEYS = 1_000;

/** Requests of the mix that machines carry. */
export function carriedTable(run: CapacityRun): string {
  const { animals } = catalogueAt(run, 'SQLite', 1);
  const rows = machines.map((cores) => [
    `${cores}`,
    figures(carriedBy(run, cores, { animals, keys: KEYS })),
    figures((cores * HEADROOM * 1_000_000) / requestOf(run, 'list').server.median),
  ]);
  const { processes, rate, load } = run.workers;
  const asked = `The mix: ${percent(mix.list)} pages, ${percent(mix.get)} single animals, ${percent(mix.create)} creations; ${count(animals)} animals, ${count(KEYS)} keys, SQLite, ${percent(HEADROOM)} of each core.`;
  const measured = `Measured: ${processes} processes answered ${spread(rate)} pages a second, with all cores at work; the load, on the same machine, took ${percent(load.median)} of one.`;
  return `${asked}\n\n${table(['cores', 'requests/s of the mix', 'pages/s'], rows)}\n\n${measured}`;
}
