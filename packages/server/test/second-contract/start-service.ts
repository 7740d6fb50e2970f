import { pino } from 'pino';
import { readConfig } from '../../../service/src/config/config.ts';
import { type ServerParts, startServer } from '../../../service/src/start.ts';
import type { StoreTypes } from '../../../service/src/storage/storage.ts';

type Started = AsyncDisposable & {
  /** Without the base path of the contract. */
  origin: string;
  /** An API key with every scope. */
  secret: string;
};

/**
 * Starts a server of any contract in this process.
 * @param settings as in the environment
 */
export async function startService<Store extends StoreTypes>(
  service: ServerParts<Store>['service'],
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const environment = { NODE_ENV: 'test', PORT: '0', DATABASE_URL: databaseUrl };
  const config = readConfig({ ...environment, ...settings });
  const server = await startServer({ service, config, log: pino({ level: 'silent' }), timeouts: { lastRequest: 0 } });
  const create = () => server.keys.create({ plan: 'business' });
  // Twice: on a busy machine, the first connection may take longer than a server waits for one.
  const { secret } = await create().catch(create);
  return {
    origin: `http://127.0.0.1:${server.port}`,
    secret,
    [Symbol.asyncDispose]: async () => void (await server.stop()),
  };
}
