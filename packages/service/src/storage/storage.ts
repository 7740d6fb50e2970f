/**
 * The interface of the storage: API keys, their usage, idempotency records, and the store of the operations. Each engine has a
 * folder that implements it, and one suite tests both. Times are Unix milliseconds.
 *
 * If the engine cannot answer, every method rejects with StorageUnavailableError, and nothing was changed. If the connection
 * was lost during a COMMIT, it rejects with OutcomeUnknownError instead.
 */
import type { Mode } from '../common/facts.ts';
import type { Send } from './store-definition.ts';

/** The objects through which operations use the storage: a reader outside transactions, a writer inside them. */
export type StoreTypes = { reader: object; writer: object };

export interface Storage<Store extends StoreTypes = StoreTypes> {
  readonly reader: Store['reader'];
  /**
   * Runs `work` as one transaction: all of it is on disk when the promise resolves, none of it happened when it
   * rejects, and it rejects with the error of `work`.
   *
   * Everything that a transaction has found by ID or by Idempotency-Key, changed or added stays the same until it ends,
   * and others that look for it wait. A transaction inside another one is refused, because it would deadlock. The
   * engine may run `work` a second time, so it must have no side effects except on the storage. Of creations, several
   * may share one commit.
   */
  transaction<T>(work: (transaction: Transaction<Store>) => Promise<T>, isCreation?: boolean): Promise<T>;
  readonly keys: KeyStore;
  readonly usage: UsageStore;
  readonly jobs: JobStore;
  /** Undefined if the database belongs to one machine. */
  readonly sharedDatabase?: SharedDatabase | undefined;
  deleteIdempotencyRecords(before: number): Promise<void>;
  /**
   * A number that changes with every commit of any process, so that equal numbers mean equal data. Undefined if the engine would
   * need a query over the network.
   */
  dataVersion(): number | undefined;
  /** Resolves if the engine answers reads; rejects with the reason. Waits for about a second at most. */
  ping(): Promise<void>;
  /** The current activity of the engine; undefined if it is unknown. */
  readonly load?: StorageLoad | undefined;
  /** Waits for running transactions, then closes the connections. */
  close(): Promise<void>;
}

/** Runs the work in one transaction, which is rolled back if the work throws. Await it before the operation or the job returns. */
export type RunTransaction<Store extends StoreTypes> = <Value>(
  work: (storage: Store['writer']) => Promise<Value>,
) => Promise<Value>;

export type StorageLoad = {
  /** The calls that wait for a connection to read or to write, or for their turn to write. */
  waiting: () => Record<string, number>;
  /** The most calls that wait for each; undefined if only the limit on writing operations bounds them. */
  maxWaiting?: number | undefined;
  /** The connections to the database; undefined if the engine is part of this process. */
  connections?: { open: () => number; used: () => number; limit: number };
};

/** Reads and writes inside a transaction. It is usable until the work ends. */
export type Transaction<Store extends StoreTypes = StoreTypes> = Store['writer'] & IdempotencyStore;

export interface IdempotencyStore {
  /** The record of an Idempotency-Key of an API key, unless it was created before `notBefore`. */
  findIdempotencyRecord(
    keyId: string,
    idempotencyKey: string,
    notBefore: number,
  ): Promise<IdempotencyRecord | undefined>;
  /** Saves a record; one that `findIdempotencyRecord` no longer finds is replaced. */
  saveIdempotencyRecord(keyId: string, idempotencyKey: string, record: IdempotencyRecord): Promise<void>;
}

export type IdempotencyRecord = {
  /** Hash of the request: operation, path and body. */
  fingerprint: string;
  status: number;
  headers: Record<string, string>;
  /** JSON text; empty for a response without a body. */
  body: string;
  createdAt: number;
};

/** An API key. It outlives its secrets, so that quota, bans and resources stay when a secret is rotated. */
export type KeyRecord = {
  /** Public name of the key, `key_` and 16 characters. */
  id: string;
  /** Empty if the contract had no plans when the key was created. */
  plan: string;
  scope: string;
  name?: string | undefined;
  /** The key's own limits; only keys of a plan with `custom: true` have them. */
  perMinute?: number | undefined;
  perDay?: number | undefined;
  createdAt: number;
  expiresAt?: number | undefined;
  revokedAt?: number | undefined;
  /** Bans that began before this time are void. */
  unbannedAt?: number | undefined;
};

/** A secret of a key, which callers send. Only its hash is stored. */
export type SecretRecord = {
  hash: Uint8Array;
  /** The prefix and the last four characters, by which people recognise the secret. */
  hint: string;
  createdAt: number;
  expiresAt?: number | undefined;
};

export type SecretWithKey = { key: KeyRecord; secret: SecretRecord };

export type KeyWithSecrets = KeyRecord & { secrets: SecretRecord[] };

export interface KeyStore {
  /** The mode of the servers that use the database; undefined before the first one has started. */
  mode(): Promise<Mode | undefined>;
  /** Stores a mode unless one is stored. Resolves to the stored one. */
  claimMode(mode: Mode): Promise<Mode>;
  add(key: KeyRecord, secret: SecretRecord): Promise<void>;
  /** The keys and secrets that belong to hashes, in any state and order, in one statement. Unknown hashes are left out. */
  findBySecrets(hashes: readonly Uint8Array[]): Promise<SecretWithKey[]>;
  find(id: string): Promise<KeyWithSecrets | undefined>;
  list(): Promise<KeyWithSecrets[]>;
  /** Adds a secret. The older ones end at `olderEndAt`, or at their own end if that is sooner. */
  rotate(id: string, secret: SecretRecord, olderEndAt: number): Promise<void>;
  revoke(id: string, at: number): Promise<void>;
  /**
   * Replaces the plan, scope, name and limits of a key by what `change` returns; it may throw. The key stays locked meanwhile.
   * Resolves to the changed key, or undefined if there is none.
   */
  update(id: string, change: (key: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined>;
  /** Voids the bans of a key that began before `unbannedAt`, and deletes them from the database. */
  unban(id: string, unbannedAt: number): Promise<void>;
}

/** The usage of a key, and its ban. Windows are numbered from the Unix epoch. */
export type UsageRecord = {
  keyId: string;
  minute: number;
  minuteUsed: number;
  day: number;
  dayUsed: number;
  bans: number;
  /** End of the last ban; 0 if there was none. */
  bannedUntil: number;
};

export interface UsageStore {
  /** Usage of `day` and later days, and all bans that ended after `bannedSince`. */
  load(day: number, bannedSince: number): Promise<UsageRecord[]>;
  /** The latest usage of a key that the database knows; undefined if it knows none. Its windows may have ended. */
  find(keyId: string): Promise<UsageRecord | undefined>;
  /**
   * Replaces the stored records, except those with a later ban, which another process has saved. Many records are saved in
   * several transactions.
   */
  save(records: readonly UsageRecord[]): Promise<void>;
  /** Deletes the ban of a key, unless the stored one ends after `bannedUntil`. */
  endBan(keyId: string, bannedUntil: number): Promise<void>;
}

/** When jobs are due, by the clock of the database, because those of its servers may differ. */
export interface JobStore {
  /**
   * Takes a job for `limitMs` milliseconds if it is due, or if it is unknown. With `isForced`, also one that is not due, unless it is
   * taken. Resolves to whether it did.
   */
  claim(name: string, lease: string, limitMs: number, isForced: boolean): Promise<boolean>;
  /** Gives a job back, which is due `laterMs` after the end of its lease. Changes nothing if another process has taken it since. */
  end(name: string, lease: string, laterMs: number): Promise<void>;
}

/** The connections to a database that several processes share, for tables of other folders. */
export type SharedDatabase = {
  /** Runs `call` with its own connection, for which it waits for at most `waitMs`, or as long as usual. */
  use: <T>(call: (connection: { send: Send }) => Promise<T>, waitMs?: number) => Promise<T>;
};

/** Rows that one transaction of maintenance changes, at most, so that other writers do not wait long. */
export const CHUNK = 1_000;

/** Why a storage is not available, as text for an operator. It does not depend on a request or a setting. */
export type UnavailableReason =
  | 'the database does not answer'
  | 'the database holds a wrong value'
  | 'the shared counters do not answer'
  | 'a transaction stayed open too long'
  | 'the database only reads'
  | 'the database was moved'
  | 'the disk of the database is full'
  | 'writes to the database fail';

/** The engine cannot answer at the moment, or refuses to write. The cause is for the log only. */
export class StorageUnavailableError extends Error {
  override name = 'StorageUnavailableError';
  readonly reason: UnavailableReason;
  constructor(cause: unknown, reason: UnavailableReason = 'the database does not answer') {
    super('The storage cannot answer.', { cause });
    this.reason = reason;
  }
}

export function operatorMessage(error: unknown): string {
  if (error instanceof StorageUnavailableError && error.cause instanceof Error) {
    return `The database is unavailable: ${error.cause.message}. Nothing was changed.`;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The connection was lost during a COMMIT: the transaction took effect as a whole, or not at all. */
export class OutcomeUnknownError extends StorageUnavailableError {
  override name = 'OutcomeUnknownError';
}

/** The storage cannot be opened as configured. The message is one plain sentence for the operator of the server. */
export class StorageSetupError extends Error {
  override name = 'StorageSetupError';
}

/** A migration failed. The message names its file, and what to do. */
export class MigrationError extends StorageSetupError {
  override name = 'MigrationError';
}
