import { openSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyRing } from '../../../../packages/server/src/keys/key-ring.ts';
import type { Storage } from '../../../../packages/server/src/storage/storage.ts';
import { root } from '../../../../scripts/root.ts';
import type { Cores } from '../../../server/cores.ts';
import { type Server, spawnServer, startServer } from '../../../server/server.ts';

/** Where the servers keep their data, and count. */
export type ServerParts = {
  folder: string;
  sqlite: { url: string; storage: Storage };
  postgres: { url: string; storage: Storage };
  redisUrl: string | undefined;
  cores: Cores | undefined;
};

/** The servers whose requests are measured; each is as in production, but for what its name says. */
export type Servers = {
  /** node:http alone. */
  bare: Server;
  plain: Server;
  /** Holds each reply against the contract. */
  checked: Server;
  /** Writes its line for each request into a file. */
  logged: Server;
  /** Counts there, too. */
  postgres: Server;
  /** On SQLite. */
  redis: Server | undefined;
  /** As servers on several machines are: on PostgreSQL, and counting in Redis. */
  postgresAndRedis: Server | undefined;
  stop: () => Promise<void>;
};

export async function startServers({ folder, sqlite, postgres, redisUrl, cores }: ServerParts): Promise<Servers> {
  const started: Server[] = [];
  const start = async (environment: Record<string, string>, rest: { main?: string; log?: number } = {}) => {
    const place = { folder: root, data: folder, environment: { TRUST_PROXY: '1', ...environment }, ...rest };
    const server = await startServer(place, '', cores?.server);
    started.push(server);
    return server;
  };
  const onSqlite = { DATABASE_URL: sqlite.url };
  const log = openSync(join(folder, 'requests.log'), 'w');
  return {
    bare: await start({}, { main: 'bench/capacity/measure/requests/bare-server.ts' }),
    plain: await start(onSqlite),
    checked: await start({ ...onSqlite, VALIDATE_RESPONSES: 'true' }),
    logged: await start({ ...onSqlite, LOG_LEVEL: 'info' }, { log }),
    postgres: await start({ DATABASE_URL: postgres.url }),
    redis: redisUrl === undefined ? undefined : await start({ ...onSqlite, REDIS_URL: redisUrl }),
    postgresAndRedis:
      redisUrl === undefined ? undefined : await start({ DATABASE_URL: postgres.url, REDIS_URL: redisUrl }),
    stop: async () => {
      for (const server of started) await server.stop();
    },
  };
}

/** A server with a process for each core, which it shares with the load. */
export function startWorkers({ folder, sqlite }: ServerParts) {
  const environment = { DATABASE_URL: sqlite.url, WORKERS: 'auto' };
  return spawnServer({ folder: root, data: folder, environment }, undefined);
}

/** Keys whose quota is not met, in a database. */
export async function makeKeys(storage: Storage, count: number, perDay = 1_000_000_000): Promise<string[]> {
  const keys = createKeyRing(storage.keys, Date.now);
  const secrets: string[] = [];
  for (let made = 0; made < count; made += 1) {
    secrets.push((await keys.create({ plan: 'enterprise', mode: 'test', perMinute: perDay, perDay })).secret);
  }
  return secrets;
}
