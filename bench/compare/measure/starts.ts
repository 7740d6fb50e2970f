import { rmSync } from 'node:fs';
import { askOnce } from '../../load/ask-once.ts';
import { requestBytes } from '../../load/load.ts';
import type { Cores } from '../../server/cores.ts';
import { spawnServer } from '../../server/server.ts';
import { copyData, type Data } from '../subjects/data.ts';
import { dataFolder, placeOf, type ServerName } from '../subjects/servers.ts';

/** Milliseconds from the start of the process to the end of its first reply, one value a round. */
export type Starts = { [Server in ServerName]?: number[] };

export type StartOptions = {
  rounds: number;
  servers: readonly ServerName[];
  cores: Cores | undefined;
  folder: string;
  progress: (what: string) => void;
};

/**
 * Starts each server in turns, and asks it for a page as soon as it says that it listens. Both cores are a start's, as they
 * are outside of a measure. The first start of each fills its compile cache and is not counted.
 */
export async function measureStarts(data: Data, { rounds, servers, cores, folder, progress }: StartOptions) {
  const starts: Starts = {};
  const both = cores && `${cores.server},${cores.load}`;
  for (const name of servers) copyData(data.file, dataFolder(folder, name));
  try {
    for (let round = 0; round <= rounds; round += 1) {
      progress(`starts: ${round} of ${rounds}`);
      for (const name of round % 2 === 0 ? servers : servers.toReversed()) {
        const milliseconds = await startOnce(name, data.key, folder, both);
        if (round > 0) starts[name] = [...(starts[name] ?? []), milliseconds];
      }
    }
  } finally {
    for (const name of servers) rmSync(dataFolder(folder, name), { recursive: true });
  }
  return starts;
}

async function startOnce(name: ServerName, key: string, folder: string, cores: string | undefined): Promise<number> {
  const startedAt = performance.now();
  const { port, stop } = await spawnServer(placeOf(name, dataFolder(folder, name)), cores);
  const { status } = await askOnce(port, requestBytes('GET', '/v1/pets?limit=20', { Authorization: `Bearer ${key}` }));
  const milliseconds = performance.now() - startedAt;
  await stop();
  if (status !== 200) throw new Error(`${name} answered its first request ${status}.`);
  return milliseconds;
}
