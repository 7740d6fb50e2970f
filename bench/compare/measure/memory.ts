import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../../scripts/testing/seeded-random.ts';
import { type Ask, inTurn, putUnderLoad, requestBytes } from '../../load/load.ts';
import type { Cores } from '../../server/cores.ts';
import type { MemoryReport } from '../../server/memory-report.ts';
import { startServer } from '../../server/server.ts';
import { ANIMALS, addKeys, copyData, type Data } from '../subjects/data.ts';
import { dataFolder, placeOf, type ServerName } from '../subjects/servers.ts';

/** What is in use once the garbage is gone, one value a round. */
export type Memory = { [Server in ServerName]?: MemoryReport[] };

export type MemoryOptions = {
  rounds: number;
  requests: number;
  keys: number;
  connections: number;
  servers: readonly ServerName[];
  cores: Cores | undefined;
  folder: string;
  progress: (what: string) => void;
};

/** Memory after many requests that many keys have sent: pages, animals, each with the next key. */
export async function measureMemory({ file }: Data, options: MemoryOptions): Promise<Memory> {
  const { folder, keys, rounds, servers, progress } = options;
  if (rounds === 0) return {};
  progress(`memory: making ${keys} keys`);
  const withKeys = copyData(file, join(folder, 'with-keys'));
  const asks = asksWith(addKeys(withKeys, keys));
  const memory: Memory = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? servers : servers.toReversed()) {
      progress(`memory: ${name}, round ${round + 1} of ${rounds}`);
      memory[name] = [...(memory[name] ?? []), await measureOnce(name, withKeys, asks, options)];
    }
  }
  return memory;
}

async function measureOnce(
  name: ServerName,
  file: string,
  asks: Ask[],
  { folder, requests, connections, cores }: MemoryOptions,
): Promise<MemoryReport> {
  const data = dataFolder(folder, name);
  copyData(file, data);
  const server = await startServer(placeOf(name, data), '', cores?.server);
  const turn = inTurn(asks);
  let asked = 0;
  const next = () => {
    if (asked === requests) return undefined;
    asked += 1;
    return turn();
  };
  try {
    // In pieces, because a measure keeps the time of each request.
    while (asked < requests) await putUnderLoad({ port: server.port, next }, { connections, seconds: 1 });
    return await server.memory();
  } finally {
    await server.stop();
    rmSync(data, { recursive: true });
  }
}

/** One request of each key; a page first, then an animal, and so on. */
function asksWith(secrets: string[]): Ask[] {
  const random = seededRandom(2);
  return secrets.map((secret, index) => {
    const id = 1 + Math.floor(random() * ANIMALS);
    const cursor = Buffer.from(`after:${id}`).toString('base64url');
    const path = index % 2 === 0 ? `/v1/pets?limit=20&cursor=${cursor}` : `/v1/pets/${id}`;
    return { bytes: requestBytes('GET', path, { Authorization: `Bearer ${secret}` }), status: 200 };
  });
}
