import { operationFacts } from '@animal-store/contract';
import type { Storage } from '../../src/operations/storage/index.ts';
import { operationIds } from '../contract.ts';
import { NOON, startTestServer, type TestResponse, type TestServer } from '../harness.ts';
import type { ModelRequest } from '../model/actions/action.ts';
import { callOf } from '../model/actions/request.ts';
import { createModelKey } from '../model/run/subject.ts';
import { assignedIds } from '../model/store/ids.ts';
import { emptyStore, type ModelKey, type Store } from '../model/store/store.ts';
import type { Database } from './engines.ts';

/** Starts a server on an open storage, with its clock at `now`. Tests plant faults in it. */
export type StartServer = (storage: Storage, now: number, engine: Database['engine']) => Promise<TestServer>;

/** The harness checks responses against the contract; the server's own check would take more time. */
export const startUsual: StartServer = (storage, now) =>
  startTestServer({ storage, databaseUrl: 'sqlite::memory:', now, config: { validateResponses: false } });

/** A quota that sequences exceed, and the days until the key expires. */
const LIMITED = { perMinute: 5, perDay: 60 };
export const KEY_DAYS = 3;

/** A server on one engine, and what the model knows about it. */
export type Side = {
  database: Database;
  server: TestServer;
  storage: Storage;
  store: Store;
  /** The number of calls that had no definite response, since the first start. */
  uncertain: number;
  /** The number of faults that calls of the first key have met. */
  faults: number;
  /** The number of faults before the running server was started. */
  earlierFaults: number;
};

/** Starts a server with two keys: one without practical limits, and one with a small quota that expires. */
export async function startSide(database: Database, start: StartServer): Promise<Side> {
  const storage = await database.open();
  const server = await start(storage, NOON, database.engine);
  const keys: [ModelKey, ModelKey] = [
    await createModelKey(server),
    await createModelKey(server, LIMITED, KEY_DAYS * 86_400_000),
  ];
  return {
    database,
    server,
    storage,
    store: emptyStore(NOON, server.url, keys),
    uncertain: 0,
    faults: 0,
    earlierFaults: 0,
  };
}

export async function restartSide(side: Side, start: StartServer): Promise<void> {
  side.storage = await side.database.open();
  side.server = await start(side.storage, side.store.now, side.database.engine);
  side.store.origin = side.server.url;
  side.earlierFaults = side.faults;
}

export function setClock({ store, server }: Side, now: number): void {
  store.now = now;
  server.clock.now = now;
}

/** Sends a request. Throws if the response violates the contract. */
export function send({ server, store }: Side, request: ModelRequest): Promise<TestResponse> {
  return server.call(request.id, { ...callOf(request), key: store.keys[request.by].secret });
}

/** The last ID of each kind of resource, by its table, which has the name of its collection. */
export function lastIds({ store }: Side): Map<string, number> {
  const created = operationIds().filter((id) => operationFacts[id].responses[201] !== undefined);
  return new Map(
    created.map((id) => [operationFacts[id].path.split('/').at(-1) ?? '', assignedIds(store, id).at(-1) ?? 0]),
  );
}

/** A busy machine may count some calls too late. */
export const SOME_AWAY = 'could not count some requests';

/** The warnings and errors in the log of a server. After a fault or on a busy machine it has reasons to log some. */
export function logProblems({ server, faults, earlierFaults, database }: Side): string[] {
  if (faults > earlierFaults) return [];
  const lines = server
    .log()
    .split('\n')
    .filter((line) => /"level":[456]0/.test(line) && !line.includes(SOME_AWAY));
  return lines.map((line) => `${database.engine} logged ${line.slice(0, 600)}`);
}
