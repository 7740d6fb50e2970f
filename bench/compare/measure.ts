import { runLoad } from '../load/load.ts';
import {
  type Candidate,
  type Group,
  groupsOf,
  type MeasureOptions,
  startCandidate,
  stopCandidate,
  warmUp,
} from './candidate.ts';
import type { Data, DatabaseUsage } from './data.ts';
import type { Results, Sample } from './results.ts';
import type { WorkloadName } from './workloads.ts';

type Measured = Pick<Results, 'samples' | 'resident' | 'loadBusy'>;

/** Measures the workloads group by group; in each group, every server starts with a fresh copy of the data. */
export async function measure(data: Data, options: MeasureOptions): Promise<Measured> {
  const measured: Measured = { samples: {}, resident: {}, loadBusy: 0 };
  for (const group of groupsOf(data, options)) await measureGroup(group, data, options, measured);
  return measured;
}

async function measureGroup(group: Group, data: Data, options: MeasureOptions, measured: Measured): Promise<void> {
  const { rounds, log } = options;
  const candidates: Candidate[] = [];
  try {
    for (const name of group.servers) candidates.push(await startCandidate(name, group, data, options));
    for (const candidate of candidates) await warmUp(candidate, options);
    for (let round = 0; round < rounds; round += 1) {
      log(`${group.name}: round ${round + 1} of ${rounds}`);
      // The order is reversed in every other round, so that no server is always first.
      const order = round % 2 === 0 ? candidates : candidates.toReversed();
      for (const workload of group.requests.keys()) {
        for (const candidate of order) await measureOnce(candidate, workload, data, options, measured);
      }
    }
    if (group.name === 'errors' || group.name === 'two processes') return;
    for (const { name, processes } of candidates) {
      const reports = await Promise.all(processes.map((server) => server.usage()));
      measured.resident[name] = Math.max(measured.resident[name] ?? 0, ...reports.map(({ resident }) => resident));
    }
  } finally {
    for (const candidate of candidates) await stopCandidate(candidate, data);
  }
}

async function measureOnce(
  candidate: Candidate,
  workload: WorkloadName,
  data: Data,
  { connections, seconds }: MeasureOptions,
  measured: Measured,
): Promise<void> {
  const { name, loads } = candidate;
  const load = loads.get(workload);
  if (load === undefined) return;
  const before = await usageOf(candidate, data);
  const { rate, p50, p99, responses, busy } = await runLoad(load, { connections, seconds });
  const after = await usageOf(candidate, data);
  const ofWorkload = measured.samples[workload] ?? {};
  measured.samples[workload] = ofWorkload;
  const cpu = (after.cpu - before.cpu) / responses;
  const ofDatabase = databaseWork(before.database, after.database, responses);
  ofWorkload[name] = [...(ofWorkload[name] ?? []), { rate, p50, p99, cpu, ...ofDatabase }];
  measured.loadBusy = Math.max(measured.loadBusy, busy);
}

async function usageOf({ processes }: Candidate, data: Data) {
  const reports = await Promise.all(processes.map((server) => server.usage()));
  return { cpu: reports.reduce((sum, { cpu }) => sum + cpu, 0), database: await data.postgres?.usage() };
}

/** Leaves out processes of the database that have ended in between, such as one that vacuumed a table. */
function databaseWork(
  before: DatabaseUsage | undefined,
  after: DatabaseUsage | undefined,
  responses: number,
): Pick<Sample, 'databaseCpu' | 'commits'> {
  if (before === undefined || after === undefined) return {};
  let cpu = 0;
  for (const [id, spent] of after.cpu) cpu += spent - (before.cpu.get(id) ?? 0);
  return { databaseCpu: cpu / responses, commits: (after.writes - before.writes) / responses };
}
