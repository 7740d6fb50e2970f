import type { Data } from './data.ts';
import type { MeasureOptions } from './measure.ts';
import { startServer } from './server.ts';
import { optionsOf } from './servers.ts';

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
