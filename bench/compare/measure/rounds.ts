import { rmSync } from 'node:fs';
import { seededRandom } from '../../../scripts/testing/seeded-random.ts';
import { type Ask, inTurn, type Load, putUnderLoad } from '../../load/load.ts';
import type { Cores } from '../../server/cores.ts';
import { type Server, startServer } from '../../server/server.ts';
import { copyData, type Data } from '../subjects/data.ts';
import { dataFolder, ours, placeOf, type ServerName } from '../subjects/servers.ts';
import { type Work, type WorkName, works } from '../subjects/works.ts';
import { addSample, type Resident, type Sample, type Samples } from './samples.ts';

export type RoundOptions = {
  rounds: number;
  seconds: number;
  connections: number;
  /** For how long at least a server does a work before it is measured at it, in seconds. */
  warmUp: number;
  servers: readonly ServerName[];
  works: readonly WorkName[];
  /** Works of these groups are measured on our server alone. */
  alone: readonly Work['group'][];
  cores: Cores | undefined;
  folder: string;
  /** Told what is being measured. */
  progress: (what: string) => void;
};

/** What the rounds of all works showed. `busiest` is the largest part of its time in which the load was busy. */
export type Measured = { samples: Samples; resident: Resident; busiest: number };

/** A server that runs, and the works that it is to do. */
type Candidate = { name: ServerName; server: Server; loads: Map<WorkName, Load> };

const groups = ['reads', 'creations', 'refusals'] as const satisfies Work['group'][];

/** Measures works group by group; each server has a fresh copy of the data in each group. */
export async function measureRounds(data: Data, options: RoundOptions): Promise<Measured> {
  const measured: Measured = { samples: {}, resident: {}, busiest: 0 };
  for (const group of groups) {
    const names = options.works.filter((name) => works[name].group === group);
    if (names.length > 0) await measureGroup(group, names, data, options, measured);
  }
  return measured;
}

async function measureGroup(
  group: Work['group'],
  names: readonly WorkName[],
  data: Data,
  options: RoundOptions,
  measured: Measured,
): Promise<void> {
  const { rounds, progress } = options;
  const candidates: Candidate[] = [];
  const asks = new Map(names.map((name) => [name, asksOf(name, data)]));
  try {
    const servers: readonly ServerName[] = options.alone.includes(group) ? [ours] : options.servers;
    for (const name of servers) candidates.push(await ready(name, group, data, asks, options));
    for (const candidate of candidates) await warmUp(candidate, options);
    for (let round = 0; round < rounds; round += 1) {
      progress(`${group}: round ${round + 1} of ${rounds}`);
      // There and back again: who is first in one round is last in the next.
      const order = round % 2 === 0 ? candidates : candidates.toReversed();
      for (const work of names) for (const candidate of order) await measureOnce(candidate, work, options, measured);
    }
    if (group === 'reads') await noteResident(candidates, measured);
  } finally {
    for (const { name, server } of candidates) {
      await server.stop();
      rmSync(dataFolder(options.folder, name), { recursive: true });
    }
  }
}

function asksOf(name: WorkName, data: Data): Ask[] {
  const work: Work = works[name];
  return work.asks(data, seededRandom(1));
}

async function ready(
  name: ServerName,
  group: Work['group'],
  { file, key }: Data,
  asks: ReadonlyMap<WorkName, Ask[]>,
  { folder, cores }: RoundOptions,
): Promise<Candidate> {
  const data = dataFolder(folder, name);
  copyData(file, data);
  // Strangers are told apart by the address that a proxy names.
  const environment: Record<string, string> = group === 'refusals' ? { TRUST_PROXY: '1' } : {};
  const server = await startServer(placeOf(name, data, environment), key, cores?.server);
  const loads = [...asks].map(([work, list]): [WorkName, Load] => [work, loadOf(work, server.port, list)]);
  return { name, server, loads: new Map(loads) };
}

/** Every server gets the same requests in the same order. */
function loadOf(name: WorkName, port: number, asks: Ask[]): Load {
  const work: Work = works[name];
  return { port, next: inTurn(asks), tolerance: work.tolerance ?? 0 };
}

/** Until the code is compiled and the caches are filled; a quota is not used up before, so any status is good. */
async function warmUp(
  { name, loads }: Candidate,
  { connections, seconds, warmUp, progress }: RoundOptions,
): Promise<void> {
  progress(`${name}: warming up`);
  for (const load of loads.values()) {
    await putUnderLoad({ ...load, tolerance: 1 }, { connections, seconds: Math.max(warmUp, seconds) });
  }
}

async function measureOnce(
  { name, server, loads }: Candidate,
  work: WorkName,
  { connections, seconds }: RoundOptions,
  measured: Measured,
): Promise<void> {
  const load = loads.get(work);
  if (load === undefined) return;
  const before = await server.usage();
  const { rate, p50, p99, replies, busy } = await putUnderLoad(load, { connections, seconds });
  const after = await server.usage();
  const sample: Sample = { rate, p50, p99, cpu: (after.cpu - before.cpu) / replies };
  addSample(measured.samples, work, name, sample);
  measured.busiest = Math.max(measured.busiest, busy);
}

async function noteResident(candidates: readonly Candidate[], { resident }: Measured): Promise<void> {
  for (const { name, server } of candidates) resident[name] = (await server.usage()).resident;
}
