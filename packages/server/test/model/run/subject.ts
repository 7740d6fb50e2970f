import { NOON, startTestServer, type TestServer } from '../../harness.ts';
import { DAY } from '../store/keys.ts';
import type { ModelKey } from '../store/store.ts';

/** Makes a database for a sequence. */
export type NewDatabase = () => Promise<{ url: string; remove: () => Promise<void> }>;

/**
 * The harness checks responses against the contract; the server's own check would more than double the time of a start.
 */
const config = { validateResponses: false };

/** A server that can be restarted on its database, and its two API keys. */
export type Subject = {
  server: () => TestServer;
  keys: readonly [ModelKey, ModelKey];
  restart: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** High enough for any sequence; refusals and bans have their own tests. */
export const UNREACHABLE = { perMinute: 1_000_000_000, perDay: 1_000_000_000 };

/** Creates a key for a sequence. */
async function createModelKey({ keys }: TestServer, lifetime: { expiresIn?: number } = {}): Promise<ModelKey> {
  const plan = 'enterprise';
  const { key, secret } = await keys.create({ plan, ...UNREACHABLE, ...lifetime });
  return { id: key.id, plan, limits: UNREACHABLE, secret, endsAt: key.expiresAt ?? Number.POSITIVE_INFINITY };
}

export async function startSubject(newDatabase: NewDatabase): Promise<Subject> {
  const database = await newDatabase();
  const start = (now: number) => startTestServer({ databaseUrl: database.url, now, config });
  let server = await start(NOON);
  const keys = [await createModelKey(server), await createModelKey(server, { expiresIn: 3 * DAY })] as const;
  return {
    server: () => server,
    keys,
    restart: async () => {
      await server.stop();
      server = await start(server.clock.now);
    },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await database.remove();
    },
  };
}
