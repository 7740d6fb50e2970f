import { NOON, startTestServer, type TestServer, temporaryDatabase } from '../../harness.ts';

type Database = { url: string; path: string };

/** Starts a server on a database, with its clock at `now`. */
export type StartServer = (database: Database, now: number) => Promise<TestServer>;

/**
 * The harness checks responses against the contract; the server's own check would more than double the time of a start.
 */
const config = { validateResponses: false };

export const startUsual: StartServer = ({ url }, now) => startTestServer({ databaseUrl: url, now, config });

/** A server that can be restarted on its database, and its two API keys. */
export type Subject = {
  server: () => TestServer;
  keys: readonly [string, string];
  keyIds: readonly [string, string];
  restart: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** High enough for any sequence; quotas have their own tests. */
export const UNREACHABLE = 1_000_000_000;

export const PLAN = 'enterprise';

export async function startSubject(start: StartServer): Promise<Subject> {
  const database = await temporaryDatabase();
  let server = await start(database, NOON);
  const limits = { perMinute: UNREACHABLE, perDay: UNREACHABLE };
  const createKey = () => server.keys.create({ plan: PLAN, ...limits });
  const [first, second] = [await createKey(), await createKey()];
  return {
    server: () => server,
    keys: [first.secret, second.secret],
    keyIds: [first.key.id, second.key.id],
    restart: async () => {
      await server.stop();
      server = await start(database, server.clock.now);
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await database.remove();
    },
  };
}
