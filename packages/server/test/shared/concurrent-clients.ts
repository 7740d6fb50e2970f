import { randomUUID } from 'node:crypto';
import { contract } from '@animal-store/contract/service';
import { systemClock } from '../../../service/src/common/time.ts';
import { createKeyRing } from '../../../service/src/keys/key-ring.ts';
import { openStorage } from '../../src/operations/storage/index.ts';
import { callOperation, type TestResponse, temporaryDatabase } from '../harness.ts';
import { type ServerProcess, startProcess } from '../process.ts';

/** The result of one creation: its response, or why there is none. */
export type Outcome = { key: string; name: string } & Ending;

/** `lost` if the connection broke, so that the outcome is unknown; `refused` if nothing listens on the port. */
type Ending = { kind: 'response'; response: TestResponse } | { kind: 'lost' | 'refused' };

export type Host = {
  databaseUrl: string;
  /** Creates a key with this quota per day and per minute. */
  createKey: (perDay: number) => Promise<string>;
  start: (environment: Record<string, string>) => Promise<ServerProcess>;
  /** Names by ID of all pets in the database. */
  pets: () => Promise<Map<number, string>>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** A database for several processes, which are killed after the test: a new file, unless a URL is given. */
export async function createHost(databaseUrl?: string): Promise<Host> {
  const database = databaseUrl === undefined ? await temporaryDatabase() : { url: databaseUrl, remove: async () => {} };
  const storage = await openStorage(database.url);
  const keys = createKeyRing(storage.keys, contract, systemClock, 'test');
  const running: ServerProcess[] = [];
  return {
    databaseUrl: database.url,
    createKey: async (perDay) => (await keys.create({ plan: 'enterprise', perMinute: perDay, perDay })).secret,
    async start(environment) {
      // Logs every request, which shows the process that answered it.
      const server = await startProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'info', ...environment });
      running.push(server);
      return server;
    },
    async pets() {
      const pets = new Map<number, string>();
      for (let after: number | undefined, full = true; full; ) {
        const page = await storage.reader.listPets({ limit: 1_000, after });
        for (const { id, name } of page) pets.set(id, name);
        after = page.at(-1)?.id;
        full = page.length === 1_000;
      }
      return pets;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((server) => server.end('SIGKILL')));
      await storage.close();
      await database.remove();
    },
  };
}

export type ConcurrentParts = {
  /** The servers, to which each client sends in turn. */
  urls: readonly string[];
  keys: readonly string[];
  /** The number of requests that each client sends, one after another, each with the next key. */
  each: number;
  onResponse?: (count: number) => void;
};

const CLIENTS = 200;

/** Creates pets with 200 concurrent clients, each pet under a unique name. */
export async function createConcurrently({ urls, keys, each, onResponse }: ConcurrentParts): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const prefix = randomUUID();
  const client = async (number: number) => {
    for (let turn = 0; turn < each; turn += 1) {
      const key = keys[(number + turn) % keys.length] ?? '';
      const name = `${prefix}-${number}-${turn}`;
      const url = urls[(number + turn) % urls.length] ?? '';
      outcomes.push({ key, name, ...(await create(url, key, name)) });
      onResponse?.(outcomes.length);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  return outcomes;
}

function create(url: string, key: string, name: string): Promise<Ending> {
  return callOperation(url, key, 'createPet', { body: { name, categoryId: 1 } }).then(
    (response) => ({ kind: 'response', response }),
    (error) => ({ kind: error.cause?.code === 'ECONNREFUSED' ? 'refused' : 'lost' }),
  );
}

/** The IDs of the processes that answered requests according to the log, only those with an error code if one is given. */
export function processesIn(output: string, code?: string): number[] {
  const pids = output.split('\n').flatMap((line) => {
    const pid = /"pid":(\d+).*"requestId"/.exec(line)?.[1];
    return pid === undefined || (code !== undefined && !line.includes(`"code":"${code}"`)) ? [] : [Number(pid)];
  });
  return [...new Set(pids)];
}
