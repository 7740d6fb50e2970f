import { encodeRequest, sendOnce } from '../load/load.ts';
import { type ServerOptions, spawnServer } from '../server/server.ts';
import type { MeasureOptions } from './candidate.ts';
import type { Data } from './data.ts';
import type { Results } from './results.ts';
import { optionsOf, type ServerName } from './servers.ts';

/**
 * Starts each server in turn and requests a page as soon as it listens. Uses both cores, as in normal operation. The
 * first start of each server fills its compile cache and is not counted.
 */
export async function measureStartups(
  data: Data,
  starts: number,
  { servers, cores, folder, log }: Pick<MeasureOptions, 'servers' | 'cores' | 'folder' | 'log'>,
): Promise<Results['startups']> {
  const startups: Results['startups'] = {};
  const both = cores && `${cores.server},${cores.load}`;
  const prepared = new Map<ServerName, ServerOptions>();
  try {
    for (const name of servers) prepared.set(name, await data.copyFor(optionsOf(name, folder)));
    for (let round = 0; round <= starts; round += 1) {
      log(`starts: ${round} of ${starts}`);
      const order = [...prepared];
      for (const [name, options] of round % 2 === 0 ? order : order.toReversed()) {
        const milliseconds = await startOnce(name, data.key, options, both);
        if (round > 0) startups[name] = [...(startups[name] ?? []), milliseconds];
      }
    }
  } finally {
    for (const options of prepared.values()) await data.removeCopy(options);
  }
  return startups;
}

async function startOnce(
  name: ServerName,
  key: string,
  options: ServerOptions,
  cores: string | undefined,
): Promise<number> {
  const startedAt = performance.now();
  const { port, stop } = await spawnServer(options, cores);
  const { status } = await sendOnce(
    port,
    encodeRequest('GET', '/v1/pets?limit=20', { Authorization: `Bearer ${key}` }),
  );
  const milliseconds = performance.now() - startedAt;
  await stop();
  if (status !== 200) throw new Error(`The first response of ${name} has status ${status}.`);
  return milliseconds;
}
