import { rmSync } from 'node:fs';
import { seededRandom } from '../../packages/testing/src/seeded-random.ts';
import { type Load, roundRobin, runLoad } from '../load/load.ts';
import type { Cores } from '../server/cores.ts';
import { type Server, startServer } from '../server/server.ts';
import { copyData, type Data } from './data.ts';
import type { Results } from './results.ts';
import { animalStore, optionsOf, type ServerName } from './servers.ts';
import { type Workload, type WorkloadName, workloads } from './workloads.ts';

export type MeasureOptions = {
  rounds: number;
  seconds: number;
  connections: number;
  /** Seconds for which each workload runs on each server before it is measured. */
  warmUpSeconds: number;
  servers: readonly ServerName[];
  workloads: readonly WorkloadName[];
  cores: Cores | undefined;
  /** The folder of the run. */
  folder: string;
  log: (message: string) => void;
};

type Measured = Pick<Results, 'samples' | 'resident' | 'loadBusy'>;

/** A running server with the loads of its workloads. */
type Candidate = { name: ServerName; server: Server; loads: Map<WorkloadName, Load> };

const groups = ['reads', 'creations', 'errors'] as const satisfies Workload['group'][];

/** Measures the workloads group by group; in each group, every server starts with a fresh copy of the data. */
export async function measure(data: Data, options: MeasureOptions): Promise<Measured> {
  const measured: Measured = { samples: {}, resident: {}, loadBusy: 0 };
  for (const group of groups) {
    const names = options.workloads.filter((name) => workloads[name].group === group);
    if (names.length > 0) await measureGroup(group, names, data, options, measured);
  }
  return measured;
}

async function measureGroup(
  group: Workload['group'],
  names: readonly WorkloadName[],
  data: Data,
  options: MeasureOptions,
  measured: Measured,
): Promise<void> {
  const { rounds, folder, log } = options;
  const candidates: Candidate[] = [];
  const requests = new Map(names.map((name) => [name, workloads[name].requests(data, seededRandom(1))]));
  try {
    for (const name of group === 'errors' ? [animalStore] : options.servers) {
      // Errors are counted by the address that the proxy names.
      const server = optionsOf(name, folder, group === 'errors' ? { TRUST_PROXY: '1' } : {});
      copyData(data.file, server.data);
      const running = await startServer(server, options.cores?.server);
      const { port } = running;
      const loads = names.map((workload): [WorkloadName, Load] => {
        const next = roundRobin(requests.get(workload) ?? []);
        return [workload, { port, next, tolerance: workloads[workload].tolerance ?? 0 }];
      });
      candidates.push({ name, server: running, loads: new Map(loads) });
    }
    for (const candidate of candidates) await warmUp(candidate, options);
    for (let round = 0; round < rounds; round += 1) {
      log(`${group}: round ${round + 1} of ${rounds}`);
      // The order is reversed in every other round, so that no server is always first.
      const order = round % 2 === 0 ? candidates : candidates.toReversed();
      for (const workload of names) {
        for (const candidate of order) await measureOnce(candidate, workload, options, measured);
      }
    }
    if (group === 'errors') return;
    for (const { name, server } of candidates) {
      measured.resident[name] = Math.max(measured.resident[name] ?? 0, (await server.usage()).resident);
    }
  } finally {
    for (const { name, server } of candidates) {
      await server.stop();
      rmSync(optionsOf(name, folder).data, { recursive: true });
    }
  }
}

/** Runs until the code is compiled. Quotas are not used up yet, so every status is accepted. */
async function warmUp({ name, loads }: Candidate, options: MeasureOptions): Promise<void> {
  const { connections, seconds, warmUpSeconds, log } = options;
  log(`${name}: warming up`);
  for (const load of loads.values()) {
    await runLoad({ ...load, tolerance: 1 }, { connections, seconds: Math.max(warmUpSeconds, seconds) });
  }
}

async function measureOnce(
  { name, server, loads }: Candidate,
  workload: WorkloadName,
  { connections, seconds }: MeasureOptions,
  measured: Measured,
): Promise<void> {
  const load = loads.get(workload);
  if (load === undefined) return;
  const before = await server.usage();
  const { rate, p50, p99, responses, busy } = await runLoad(load, { connections, seconds });
  const after = await server.usage();
  const ofWorkload = measured.samples[workload] ?? {};
  measured.samples[workload] = ofWorkload;
  ofWorkload[name] = [...(ofWorkload[name] ?? []), { rate, p50, p99, cpu: (after.cpu - before.cpu) / responses }];
  measured.loadBusy = Math.max(measured.loadBusy, busy);
}
