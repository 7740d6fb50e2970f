import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { TestProxy } from '../../../testing/src/postgres/proxy.ts';
import type { TestPostgres } from '../../../testing/src/postgres/server.ts';

/** Ends a fault. */
type Lift = () => Promise<void>;

/** A fault: whether a call may get a 503 because of it, and how it begins. */
type Fault<Parts> = { mayFail: boolean; begin: (parts: Parts) => Promise<Lift> };

type SqliteParts = { path: string };
export type PostgresParts = { postgres: TestPostgres; proxy: TestProxy; schema: string };

/** Long enough for a call to meet the lock, short enough for it to succeed. */
const MOMENT = 100;

const sqliteFaults = {
  'SQLite locked for a moment': {
    mayFail: false,
    begin: async ({ path }) => {
      const unlock = lockFile(path);
      const released = setTimeout(MOMENT).then(unlock);
      return () => released;
    },
  },
  'SQLite locked': {
    mayFail: true,
    begin: async ({ path }) => {
      const unlock = lockFile(path);
      return async () => unlock();
    },
  },
} satisfies Record<string, Fault<SqliteParts>>;

const postgresFaults = {
  'postgres slow': {
    mayFail: false,
    begin: async ({ proxy }) => network(proxy, { kind: 'slow', delay: 5 }),
  },
  'postgres cut off': {
    mayFail: true,
    begin: async ({ proxy }) => network(proxy, { kind: 'cut' }),
  },
  'postgres silent': {
    mayFail: true,
    begin: async ({ proxy }) => network(proxy, { kind: 'silent' }),
  },
  'postgres commits, and the answer is lost': {
    mayFail: true,
    begin: async ({ proxy }) => {
      void proxy.cutAfter('COMMIT');
      return async () => proxy.cancelCuts();
    },
  },
  'postgres ends connections': {
    mayFail: true,
    begin: async (parts) => {
      await parts.postgres.query(`SELECT pg_terminate_backend(pid) ${ownBackends}`);
      return async () => {};
    },
  },
  'postgres frozen': {
    mayFail: true,
    begin: async ({ postgres }) => {
      const pids = (await postgres.query(`SELECT pid ${ownBackends}`)).map(([pid]) => Number(pid));
      const signalAll = (signal: NodeJS.Signals) => {
        for (const pid of pids) signalIfAlive(pid, signal);
      };
      signalAll('SIGSTOP');
      return async () => signalAll('SIGCONT');
    },
  },
  'postgres table locked': {
    mayFail: true,
    begin: async ({ postgres, schema }) => {
      const other = new pg.Client({ connectionString: postgres.urlOf('postgres') });
      await other.connect();
      await other.query(`BEGIN; LOCK TABLE ${schema}.pets, ${schema}.orders IN ACCESS EXCLUSIVE MODE`);
      return () => other.end();
    },
  },
  'postgres deadlock': {
    mayFail: false,
    begin: async ({ postgres, schema }) => {
      // A sequence is not rolled back, so the statement fails only the first time. The trigger runs before an ID is drawn.
      const at = ['pets', 'orders'].map(
        (table) => `CREATE TRIGGER deadlock BEFORE INSERT OR UPDATE OR DELETE ON ${schema}.${table}
          FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.deadlock()`,
      );
      await postgres.query(`CREATE SEQUENCE ${schema}.deadlocks;
        CREATE FUNCTION ${schema}.deadlock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('${schema}.deadlocks') = 1 THEN RAISE 'deadlock detected' USING ERRCODE = '40P01'; END IF;
          RETURN NULL;
        END $$; ${at.join(';')}`);
      return async () => {
        await postgres.query(`DROP FUNCTION ${schema}.deadlock CASCADE; DROP SEQUENCE ${schema}.deadlocks`);
      };
    },
  },
  'postgres crash': {
    mayFail: true,
    begin: async ({ postgres }) => {
      // Without it, counts of the last moments may be lost: they do not wait for the disk (decision 23).
      await postgres.query('CHECKPOINT');
      await postgres.crash();
      return () => postgres.start();
    },
  },
} satisfies Record<string, Fault<PostgresParts>>;

export type SqliteFault = keyof typeof sqliteFaults;
export type PostgresFault = keyof typeof postgresFaults;
export type FaultName = SqliteFault | PostgresFault;

export const faultNames: readonly FaultName[] = [...keysOf(sqliteFaults), ...keysOf(postgresFaults)];

/** Begins a fault of SQLite; undefined if it is one of PostgreSQL. */
export function beginSqliteFault(name: FaultName, parts: SqliteParts): Promise<Lift> | undefined {
  return isIn(sqliteFaults, name) ? sqliteFaults[name].begin(parts) : undefined;
}

/** Begins a fault of PostgreSQL; undefined if it is one of SQLite. */
export function beginPostgresFault(name: FaultName, parts: PostgresParts): Promise<Lift> | undefined {
  return isIn(postgresFaults, name) ? postgresFaults[name].begin(parts) : undefined;
}

/** Whether a call may get a 503 because of a fault. */
export function mayFail(name: FaultName): boolean {
  return isIn(sqliteFaults, name) ? sqliteFaults[name].mayFail : postgresFaults[name].mayFail;
}

const ownBackends = "FROM pg_stat_activity WHERE application_name = 'animal-store'";

async function network(proxy: TestProxy, kind: Parameters<TestProxy['set']>[0]): Promise<Lift> {
  proxy.set(kind);
  return async () => proxy.set({ kind: 'open' });
}

/** Takes the lock of writers, as another process does. */
function lockFile(path: string): () => void {
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  return () => other.close();
}

/** PostgreSQL may have ended the process in the meantime. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function isIn<Table extends object>(table: Table, name: PropertyKey): name is keyof Table {
  return Object.hasOwn(table, name);
}

function keysOf<Table extends object>(table: Table): (keyof Table)[] {
  return Object.keys(table).filter((name) => isIn(table, name));
}
