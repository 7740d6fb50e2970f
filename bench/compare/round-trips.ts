import { startProxy } from '../../packages/testing/src/postgres/proxy.ts';
import { runLoad } from '../load/load.ts';
import type { ServerOptions } from '../server/server.ts';
import { type Candidate, groupsOf, type MeasureOptions, startCandidate, stopCandidate, warmUp } from './candidate.ts';
import type { Data } from './data.ts';
import type { Results } from './results.ts';

type RoundTrips = NonNullable<Results['roundTrips']>;

/**
 * Counts the round trips to PostgreSQL for each response with a proxy. It delays every query, so this runs on its own, on new
 * servers, after the rates were measured.
 * @param port the port of PostgreSQL
 */
export async function measureRoundTrips(data: Data, port: number, options: MeasureOptions): Promise<RoundTrips> {
  const roundTrips: RoundTrips = {};
  const proxy = await startProxy(port);
  try {
    for (const group of groupsOf(data, options)) {
      for (const name of group.servers) {
        options.log(`${group.name}: round trips`);
        const candidate = await startCandidate(name, group, data, options, (server) => redirect(server, proxy.port));
        try {
          await warmUp(candidate, options);
          await countOf(candidate, proxy, options, roundTrips);
        } finally {
          await stopCandidate(candidate, data);
        }
      }
    }
  } finally {
    await proxy.stop();
  }
  return roundTrips;
}

function redirect(server: ServerOptions, port: number): ServerOptions {
  const url = new URL(server.environment?.['DATABASE_URL'] ?? '');
  url.port = String(port);
  return { ...server, environment: { ...server.environment, DATABASE_URL: url.href } };
}

async function countOf(
  { name, loads }: Candidate,
  proxy: { readonly roundTrips: number },
  options: MeasureOptions,
  roundTrips: RoundTrips,
): Promise<void> {
  for (const [workload, load] of loads) {
    const before = proxy.roundTrips;
    const { responses } = await runLoad(load, options);
    // Two digits hide the few queries that maintenance sends meanwhile.
    const each = Math.round(((proxy.roundTrips - before) / responses) * 100) / 100;
    roundTrips[workload] = { ...roundTrips[workload], [name]: each };
  }
}
