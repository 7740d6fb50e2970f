import { seededRandom } from '../../packages/testing/src/seeded-random.ts';
import { type Load, type LoadRequest, roundRobin, runLoad } from '../load/load.ts';
import type { Cores } from '../server/cores.ts';
import { type Server, type ServerOptions, startServer } from '../server/server.ts';
import type { Data } from './data.ts';
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

/** Workloads that run on the same server processes, with the requests that every server gets. */
export type Group = {
  name: Workload['group'];
  servers: readonly ServerName[];
  requests: ReadonlyMap<WorkloadName, readonly LoadRequest[]>;
};

/** A running server, in one or several processes, with the loads of its workloads. */
export type Candidate = {
  name: ServerName;
  options: ServerOptions;
  processes: Server[];
  loads: Map<WorkloadName, Load>;
};

const groups = ['reads', 'creations', 'errors', 'two processes'] as const satisfies Workload['group'][];

/** The groups of the chosen workloads, in order. */
export function* groupsOf(data: Data, options: MeasureOptions): Generator<Group> {
  for (const name of groups) {
    const names = options.workloads.filter((workload) => workloads[workload].group === name);
    if (names.length === 0) continue;
    const requests = new Map(names.map((workload) => [workload, workloads[workload].requests(data, seededRandom(1))]));
    yield { name, servers: name === 'errors' ? [animalStore] : options.servers, requests };
  }
}

/**
 * Starts a server with a new copy of the data.
 * @param redirect changes how the server reaches its database
 */
export async function startCandidate(
  name: ServerName,
  group: Group,
  data: Data,
  { folder, cores }: MeasureOptions,
  redirect: (options: ServerOptions) => ServerOptions = (options) => options,
): Promise<Candidate> {
  // Errors are counted by the address that the proxy names.
  const server = optionsOf(name, folder, group.name === 'errors' ? { TRUST_PROXY: '1' } : {});
  const options = redirect(await data.copyFor(server));
  const isTwo = group.name === 'two processes';
  const processes: Server[] = [];
  // On one core, a second process would only take time from the first.
  for (let started = 0; started < (isTwo ? 2 : 1); started += 1) {
    processes.push(await startServer(options, isTwo ? cores?.all : cores?.server));
  }
  const ports = processes.map(({ port }) => port);
  const loads = [...group.requests].map(([workload, requests]): [WorkloadName, Load] => {
    return [workload, { ports, next: roundRobin(requests), tolerance: workloads[workload].tolerance ?? 0 }];
  });
  return { name, options, processes, loads: new Map(loads) };
}

export async function stopCandidate({ options, processes }: Candidate, data: Data): Promise<void> {
  for (const server of processes) await server.stop();
  await data.removeCopy(options);
}

/** Runs until the code is compiled. Quotas are not used up yet, so every status is accepted. */
export async function warmUp({ name, loads }: Candidate, options: MeasureOptions): Promise<void> {
  const { connections, seconds, warmUpSeconds, log } = options;
  log(`${name}: warming up`);
  for (const load of loads.values()) {
    await runLoad({ ...load, tolerance: 1 }, { connections, seconds: Math.max(warmUpSeconds, seconds) });
  }
}
