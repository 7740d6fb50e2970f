import { seededRandom } from '../packages/testing/src/seeded-random.ts';
import type { Data } from './data.ts';
import { inTurn, type LoadRequest, type Requests, runLoad } from './load.ts';
import type { Results, Sample } from './results.ts';
import {
  type Cores,
  type EngineName,
  optionsOf,
  type Server,
  type ServerOptions,
  type Side,
  sides,
  startServer,
} from './server.ts';
import { type Workload, type WorkloadName, workloads } from './workloads.ts';

/**
 * How many rounds long each workload runs on each server before it is measured, so that the code is compiled: after 1 s, a list of ours
 * on PostgreSQL takes 131 µs of processor time, and 67 after 8 s (the peer's 70 and 64).
 */
const WARM_UP_ROUNDS = 10;

export type MeasureOptions = {
  engine: EngineName;
  workloads: readonly WorkloadName[];
  rounds: number;
  seconds: number;
  connections: number;
  cores: Cores | undefined;
  /** The folder of the run. */
  folder: string;
  log: (message: string) => void;
};

type Measured = Pick<Results, 'samples' | 'resident' | 'loadBusy'>;

type Running = { side: Side; options: ServerOptions; server: Server; requests: ReadonlyMap<WorkloadName, Requests> };

/** Measures the workloads on our server and its peer, in alternating rounds. */
export async function measure(data: Data, options: MeasureOptions): Promise<Measured> {
  const measured: Measured = { samples: {}, resident: { own: 0, peer: 0 }, loadBusy: 0 };
  for (const phase of ['reads', 'creations'] as const) {
    const names = options.workloads.filter((name) => workloads[name].phase === phase);
    if (names.length > 0) await measurePhase(phase, names, data, options, measured);
  }
  return measured;
}

async function measurePhase(
  phase: Workload['phase'],
  names: readonly WorkloadName[],
  data: Data,
  options: MeasureOptions,
  measured: Measured,
): Promise<void> {
  const { rounds, seconds, connections, log } = options;
  const lists = new Map(names.map((name) => [name, workloads[name].requests(data, seededRandom(1))]));
  const running: Running[] = [];
  try {
    for (const side of sides) running.push(await start(side, lists, data, options));
    log(`${phase}: warming up`);
    for (const { server, requests } of running) {
      for (const list of requests.values()) {
        await runLoad(server.port, list, { connections, seconds: WARM_UP_ROUNDS * seconds });
      }
    }
    for (let round = 0; round < rounds; round += 1) {
      log(`${phase}: round ${round + 1} of ${rounds}`);
      // The order is reversed in every other round, so that no server is always first.
      const order = round % 2 === 0 ? running : running.toReversed();
      for (const name of names) {
        for (const one of order) await measureOnce(one, name, options, measured);
      }
    }
    for (const { side, server } of running) {
      const { resident } = await server.usage();
      measured.resident[side] = Math.max(measured.resident[side], resident);
    }
  } finally {
    for (const { server, options: own } of running) {
      await server.stop();
      await data.removeCopy(own);
    }
  }
}

/** Starts a server with a new copy of the data. */
async function start(
  side: Side,
  lists: ReadonlyMap<WorkloadName, readonly LoadRequest[]>,
  data: Data,
  { engine, folder, cores }: MeasureOptions,
): Promise<Running> {
  const options = await data.copyFor(optionsOf(side, engine, folder));
  const server = await startServer(options, cores?.server);
  const requests = new Map([...lists].map(([name, list]) => [name, inTurn(list)]));
  return { side, options, server, requests };
}

async function measureOnce(
  { side, server, requests }: Running,
  name: WorkloadName,
  options: MeasureOptions,
  measured: Measured,
): Promise<void> {
  const own = requests.get(name);
  if (own === undefined) return;
  const before = await server.usage();
  const { rate, p50, p99, responses, busy } = await runLoad(server.port, own, options);
  const after = await server.usage();
  const samples: Record<Side, Sample[]> = measured.samples[name] ?? { own: [], peer: [] };
  samples[side].push({ rate, p50, p99, cpu: (after.cpu - before.cpu) / responses });
  measured.samples[name] = samples;
  measured.loadBusy = Math.max(measured.loadBusy, busy);
}

/**
 * Starts our server several times, and requests a page as soon as it listens. Returns the milliseconds until the first response. Uses
 * both cores, as in normal operation. The first start fills the compile cache and is not counted.
 */
export async function measureStarts(
  data: Data,
  { engine, rounds, cores, folder, log }: Pick<MeasureOptions, 'engine' | 'rounds' | 'cores' | 'folder' | 'log'>,
): Promise<number[]> {
  const options = await data.copyFor(optionsOf('own', engine, folder));
  const starts: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    log(`start ${round} of ${rounds}`);
    const startedAt = performance.now();
    const server = await startServer(options, cores && `${cores.server},${cores.load}`, []);
    const { status } = await fetch(`http://127.0.0.1:${server.port}/v1/pets?limit=20`, {
      headers: { Authorization: `Bearer ${data.key}` },
    });
    const milliseconds = performance.now() - startedAt;
    await server.stop();
    if (status !== 200) throw new Error(`The first response has the status ${status}.`);
    if (round > 0) starts.push(milliseconds);
  }
  await data.removeCopy(options);
  return starts;
}
