import { kindTable, simulationTable, whole } from '../../limiter-simulation/table.ts';
import type { CapacityRun } from '../run.ts';

/** What was simulated, with what was assumed. */
export function simulationPart({ simulation: { options, ways } }: CapacityRun): string {
  const { processes, keys, minutes, roundTrip, service, period, lease, outage, seed } = options;
  const asked = ways[0]?.requestsPerSecond ?? 0;
  const assumed = `${whole(processes)} processes, ${whole(keys)} keys, ${whole(asked)} requests a second for ${minutes} minutes. A round trip takes ${roundTrip} ms, an operation ${service} µs of the store's core; the store is away for ${outage} s; synchronised each ${period} ms; a lease is ${lease} times an even share of the quota, one request at least; seed ${seed}.`;
  return `${assumed}\n\n${simulationTable(ways)}\n\n${kindTable(ways)}`;
}
