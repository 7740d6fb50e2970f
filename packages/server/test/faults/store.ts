import { contract } from '@animal-store/contract/service';
import { systemClock } from '../../../service/src/common/time.ts';
import { createKeyRing } from '../../../service/src/keys/key-ring.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { type CallParts, callOperation, type TestResponse, temporaryDatabase } from '../harness.ts';
import { type ServerProcess, startProcess } from '../process.ts';

/** A database file, and the servers that use it, each in its own process. */
export type Store = {
  path: string;
  url: string;
  /** A key whose quota no test exhausts. */
  key: string;
  start: (parts?: StartParts) => Promise<RunningStore>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export type StartParts = { environment?: Record<string, string>; through?: readonly string[] };

export type RunningStore = ServerProcess & {
  add: (name: string, parts?: CallParts) => Promise<TestResponse>;
  list: (query?: string) => Promise<TestResponse>;
};

/**
 * A store whose servers are killed when the test is over; its files are removed.
 *
 * @param url the URL of a database; default: a new file
 */
export async function createStore(url?: string): Promise<Store> {
  const database = url === undefined ? await temporaryDatabase() : { url, path: '', remove: async () => {} };
  const key = await createKey(database.url);
  const running: ServerProcess[] = [];

  async function start({ environment = {}, through = [] }: StartParts = {}): Promise<RunningStore> {
    const server = await startProcess({ DATABASE_URL: database.url, ...environment }, through);
    running.push(server);
    const call = (id: 'createPet' | 'listPets', parts: CallParts) => callOperation(server.url, key, id, parts);
    return {
      ...server,
      add: (name, parts = {}) => call('createPet', { body: { name, categoryId: 1 }, ...parts }),
      list: (query = 'limit=100') => call('listPets', { query }),
    };
  }

  async function remove(): Promise<void> {
    for (const server of running) await server.end('SIGKILL');
    await database.remove();
  }

  return { path: database.path, url: database.url, key, start, [Symbol.asyncDispose]: remove };
}

async function createKey(databaseUrl: string): Promise<string> {
  const storage = await openStorage(databaseUrl);
  const keys = createKeyRing(storage.keys, contract, systemClock, 'test');
  const { secret } = await keys.create({ plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 });
  await storage.close();
  return secret;
}

/** Every animal, page by page. */
export async function allPets(list: (query: string) => Promise<TestResponse>): Promise<{ id: number; name: string }[]> {
  const pets = [];
  for (let query: string | undefined = 'limit=100'; query !== undefined; ) {
    const { body, headers }: TestResponse = await list(query);
    pets.push(...body);
    query = /\?([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
  }
  return pets;
}
