import { availableParallelism } from 'node:os';
import { startPostgres } from '../../../packages/server/test/postgres/server.ts';
import { findRedis, startRedis } from '../../../scripts/testing/redis.ts';
import { simulateInBackground } from '../../limiter-simulation/in-background.ts';
import { standardOptions } from '../../limiter-simulation/simulate.ts';
import { postgresCatalogue, sqliteCatalogue } from '../../pages/catalogues.ts';
import { findCores } from '../../server/cores.ts';
import type { CapacityRun } from '../run.ts';
import { measureCalls } from './calls.ts';
import { postgresProcessor, redisProcessor } from './engines.ts';
import { machineOf } from './machine.ts';
import { type LoadOptions, measureRequests, measureWorkers } from './requests/requests.ts';
import { makeKeys, type ServerParts, startServers, startWorkers } from './requests/servers.ts';
import { measureWrites } from './storage/calls.ts';
import { measureCatalogues } from './storage/catalogues.ts';

export type MeasureOptions = {
  folder: string;
  animals: [small: number, middle: number, large: number];
  keys: [few: number, many: number, most: number];
  rounds: number;
  /** That a kind of request is sent in a round. */
  seconds: number;
  /** That the simulation plays. */
  minutes: number;
  /** Told what is being done. */
  say: (line: string) => void;
};

/** Calls of a part of the server in a round, one after the other. */
const CALLS = 20_000;

/** Measures everything. What costs time and is not measured, the simulation and the making of large catalogues, is done at once. */
export async function measureAll(options: MeasureOptions): Promise<CapacityRun> {
  const { folder, animals, rounds, say } = options;
  const [small, middle, large] = animals;
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres();
  stack.defer(postgres.remove);
  const executable = findRedis('the cost of counting in Redis');
  const redis = executable === undefined ? undefined : stack.use(await startRedis(executable));
  const engines = { postgres: postgresProcessor(postgres), redis: redis && redisProcessor(redis.port) };
  const catalogues = async (animals: number) => {
    say(`making catalogues of ${animals} animals`);
    const made = [await sqliteCatalogue(folder, animals), await postgresCatalogue(postgres, animals)] as const;
    stack.defer(async () => {
      for (const { storage } of made) await storage.close();
    });
    return made;
  };
  const [smallOnes, [sqlite, onPostgres]] = [await catalogues(small), await catalogues(middle)];
  const cores = findCores();
  const parts = { folder, sqlite, postgres: onPostgres, redisUrl: redis?.url, cores };
  const servers = await startServers(parts);
  say('measuring requests');
  const requests = await measureRequests(servers, parts, engines, { ...options, animals: middle }).finally(
    servers.stop,
  );
  say('measuring a process for each core');
  const workers = await measureAllCores(parts, { ...options, animals: middle });
  say('measuring the disk, key checks and counting in memory');
  const machine = machineOf(folder);
  const [few, many, most] = options.keys;
  const calls = await measureCalls(sqlite.storage, { few, many, most }, { rounds, calls: CALLS });
  say('measuring creations');
  const writes = {
    SQLite: await measureWrites(sqlite.storage, rounds, undefined),
    PostgreSQL: await measureWrites(onPostgres.storage, rounds, engines.postgres),
  };
  say('simulating');
  const service = requests.unknownOnRedis?.engine?.median ?? standardOptions.service;
  const simulated = { ...standardOptions, minutes: options.minutes, service: Math.round(service) };
  const simulation = simulateInBackground(simulated);
  const all = [...smallOnes, sqlite, onPostgres, ...(await catalogues(large))];
  const ways = await simulation;
  say('measuring reads');
  const read = await measureCatalogues(all, postgres, engines.postgres, rounds);
  return { machine, workers, requests, ...calls, catalogues: read, writes, simulation: { options: simulated, ways } };
}

async function measureAllCores(parts: ServerParts, options: LoadOptions): Promise<CapacityRun['workers']> {
  const [key = ''] = await makeKeys(parts.sqlite.storage, 1);
  const server = await startWorkers(parts);
  try {
    return { processes: availableParallelism(), ...(await measureWorkers(server.port, key, options)) };
  } finally {
    await server.stop();
  }
}
