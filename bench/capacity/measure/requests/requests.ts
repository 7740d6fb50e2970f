import { type Spread, spreadOf } from '../../../figures/statistics.ts';
import { putUnderLoad } from '../../../load/load.ts';
import type { CapacityRun, RequestCost } from '../../run.ts';
import { inTurns } from '../rounds.ts';
import { type Engines, type Probe, type Probes, probesOf } from './probes.ts';
import type { ServerParts, Servers } from './servers.ts';
import { requestsOf } from './targets.ts';

export type LoadOptions = { rounds: number; seconds: number; animals: number };

/** Connections of several processes at once, so that each has some. */
const WORKER_CONNECTIONS = 64;

/** How many times as long as in a round each server is asked at first: its code is compiled then. */
const WARM_UP = 12;

/** What requests cost the servers, over HTTP. */
export async function measureRequests(
  servers: Servers,
  parts: ServerParts,
  engines: Engines,
  { rounds, seconds, animals }: LoadOptions,
): Promise<CapacityRun['requests']> {
  const probes: Probes = await probesOf(servers, parts, engines, animals);
  const byServer = Map.groupBy(Object.values(probes), ({ server }) => server);
  for (const [probe] of byServer.values()) if (probe !== undefined) await warmUp(probe, seconds * WARM_UP);
  const found = await inTurns<Probe, Round>(Object.values(probes), rounds, (probe) => measure(probe, seconds));
  return Object.fromEntries(Object.entries(probes).map(([name, probe]) => [name, costOf(found(probe))]));
}

/** Pages per second of a server with several processes, with the load on the same machine. */
export async function measureWorkers(
  port: number,
  key: string,
  { rounds, seconds, animals }: LoadOptions,
): Promise<{ rate: Spread; load: Spread }> {
  const target = { port, next: requestsOf([key], animals).list };
  const ask = (length: number) => putUnderLoad(target, { connections: WORKER_CONNECTIONS, seconds: length });
  await ask(seconds * WARM_UP);
  const found = (await inTurns([target], rounds, () => ask(seconds)))(target);
  return { rate: spreadOf(found.map(({ rate }) => rate)), load: spreadOf(found.map(({ busy }) => busy)) };
}

/** For so many seconds, all kinds of requests equally long. */
async function warmUp(probe: Probe, seconds: number): Promise<void> {
  for (const sent of probe.warmUp) await measure({ ...probe, sent }, seconds / probe.warmUp.length);
}

type Round = { rate: number; server: number; engine: number; connections: number };

async function measure(probe: Probe, seconds: number): Promise<Round> {
  const { server, sent, connections, engine = async () => Number.NaN } = probe;
  const [serverBefore, engineBefore] = [await server.usage(), await engine()];
  const { replies, rate } = await putUnderLoad({ port: server.port, next: sent }, { connections, seconds });
  const [serverAfter, engineAfter] = [await server.usage(), await engine()];
  const perReply = (after: number, before: number) => (after - before) / replies;
  return {
    rate,
    connections,
    server: perReply(serverAfter.cpu, serverBefore.cpu),
    engine: perReply(engineAfter, engineBefore),
  };
}

function costOf(rows: Round[]): RequestCost {
  const rounds = rows.map(({ server }) => server);
  const engine = spreadOf(rows.map((row) => row.engine));
  return {
    server: spreadOf(rounds),
    rounds,
    rate: spreadOf(rows.map(({ rate }) => rate)),
    connections: rows[0]?.connections ?? 0,
    ...(Number.isNaN(engine.median) ? {} : { engine }),
  };
}
