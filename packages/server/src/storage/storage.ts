/**
 * What the server stores: API keys, their usage, responses for Idempotency-Keys, and the store that the operations work on.
 * One folder per engine implements this interface, and one suite tests them all. Times are Unix milliseconds.
 *
 * Every method rejects with StorageUnavailableError if the engine cannot answer; nothing was changed then. The exception is
 * OutcomeUnknownError: the connection to the engine was lost during a COMMIT.
 */
import type { Plan } from '@animal-store/contract';
import type { RemoteCounters } from '../quota/counters.ts';

/** What the operations work on: outside a transaction they read, inside one they read and write. */
export type StoreTypes = { reader: object; writer: object };

export interface Storage<Store extends StoreTypes = StoreTypes> {
  /** Reads what is committed. */
  readonly reader: Store['reader'];
  /**
   * Runs `work` as one transaction: all of it is on disk when the promise resolves, none of it happened when it rejects, and
   * it rejects with the error of `work`.
   *
   * Whatever a transaction has found by id or by Idempotency-Key, changed or added stays the same until it ends, and other
   * transactions that look for it wait. Apart from that they may run side by side. A transaction inside another one of the
   * same storage would wait for itself: it is refused. An engine may run `work` a second time, from the start, if two
   * transactions block each other: so `work` must change nothing but what is stored.
   */
  transaction<T>(work: (transaction: Transaction<Store>) => Promise<T>): Promise<T>;
  readonly keys: KeyStore;
  readonly usage: UsageStore;
  /** Counts for all processes that share the database; undefined if the database belongs to one machine. */
  readonly counters?: StoredCounters | undefined;
  /** Deletes the idempotency records created before `before`. */
  deleteIdempotencyRecords(before: number): Promise<void>;
  /** Resolves when the engine answers. */
  ping(): Promise<void>;
  /** Waits for running transactions, then closes the connections. */
  close(): Promise<void>;
}

/** What the work of a transaction reads and writes. It is usable until the work ends. */
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

/** The first response to a request with an Idempotency-Key. */
export type IdempotencyRecord = {
  /** Hash of the request: operation, path and body. */
  fingerprint: string;
  status: number;
  headers: Record<string, string>;
  /** JSON text; empty for a response without a body. */
  body: string;
  createdAt: number;
};

/** An API key: who calls. It outlives its secrets, so quota, bans and belongings stay when it is rotated. */
export type KeyRecord = {
  /** Public name of the key, `key_` and 16 characters. */
  id: string;
  plan: Plan;
  name?: string | undefined;
  /** The key's own limits; only keys of the enterprise plan have them. */
  perMinute?: number | undefined;
  perDay?: number | undefined;
  createdAt: number;
  expiresAt?: number | undefined;
  revokedAt?: number | undefined;
};

/** What the holder of a key sends. Only its hash is stored. */
export type SecretRecord = {
  /** SHA-256 of the secret. */
  hash: Uint8Array;
  /** How people recognise the secret: its prefix and last four characters. */
  hint: string;
  createdAt: number;
  expiresAt?: number | undefined;
};

export type KeyWithSecrets = KeyRecord & { secrets: SecretRecord[] };

export interface KeyStore {
  add(key: KeyRecord, secret: SecretRecord): Promise<void>;
  /** The key and secret that belong to a hash, whatever their state. */
  findBySecret(hash: Uint8Array): Promise<{ key: KeyRecord; secret: SecretRecord } | undefined>;
  find(id: string): Promise<KeyWithSecrets | undefined>;
  /** All keys by ascending creation time. */
  list(): Promise<KeyWithSecrets[]>;
  /** Adds a secret. The older ones end at `olderEndAt`, or at their own end if that is sooner. */
  rotate(id: string, secret: SecretRecord, olderEndAt: number): Promise<void>;
  /** Ends a key. Revoking it again changes nothing. */
  revoke(id: string, at: number): Promise<void>;
}

/** What a key has used of its windows, and its ban. `minute` and `day` number windows from the Unix epoch. */
export type UsageRecord = {
  keyId: string;
  minute: number;
  minuteUsed: number;
  day: number;
  dayUsed: number;
  /** Bans in a row; 0 when never banned. */
  bans: number;
  /** End of the last ban; 0 when never banned. */
  bannedUntil: number;
};

export interface UsageStore {
  /** Usage of `day` and later days, and all bans that ended after `bannedSince`. */
  load(day: number, bannedSince: number): Promise<UsageRecord[]>;
  /**
   * Replaces the stored records, except those with a later ban in a row: the process that saves has not heard of it yet. Many
   * records are saved in several transactions.
   */
  save(records: readonly UsageRecord[]): Promise<void>;
}

/** The usage of callers, counted in the database. */
export interface StoredCounters extends RemoteCounters {
  /** Deletes callers whose day is over and whose last ban, if any, ended at least so many seconds ago. */
  forget(seconds: number): Promise<void>;
}

/** The engine cannot answer at the moment, or refuses to write. The cause is for the log only. */
export class StorageUnavailableError extends Error {
  override name = 'StorageUnavailableError';
  constructor(cause: unknown) {
    super('The storage cannot answer.', { cause });
  }
}

/** The connection was lost during a COMMIT: the transaction has happened as a whole, or not at all. */
export class OutcomeUnknownError extends StorageUnavailableError {
  override name = 'OutcomeUnknownError';
}

/** The storage cannot be opened as configured. The message is one plain sentence for the operator of the server. */
export class StorageSetupError extends Error {
  override name = 'StorageSetupError';
}
