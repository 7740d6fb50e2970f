/**
 * What the server keeps, in the words of the domain. One file per engine implements it; one suite holds them all.
 * Times are Unix milliseconds.
 *
 * Every method rejects with StorageUnavailableError when the engine cannot answer; nothing was changed then. Only where
 * an engine elsewhere was cut off while it committed nobody knows, and it is an OutcomeUnknownError.
 */
import type { NewPet, Order, OrderStatus, Pet, PetStatus, Plan } from '@animal-store/contract';
import type { RemoteCounters } from '../quota/counters.ts';

export interface Storage {
  /** Reads what is committed. */
  readonly reader: Reader;
  /**
   * A number that changes with whatever changes what `reader` finds. Undefined where the engine cannot tell without being
   * asked over a network.
   */
  version(): number | undefined;
  /**
   * Runs `work` as a whole: all of it is on disk when the promise resolves, none of it happened when it rejects.
   * Transactions of a database run as if one after the other for what they touch: what one has found by id or by
   * Idempotency-Key, changed or added stays as it is for it until it ends, and others that find it wait. They may run
   * side by side otherwise. One inside another would wait for itself: it is refused.
   * When `work` rejects, this does with the same error. An engine may run it a second time, from the start, where two
   * transactions were in each other's way: so it changes nothing but what is stored.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  readonly keys: KeyStore;
  readonly usage: UsageStore;
  /** Counts for all processes that share the database; undefined where it belongs to one of them. */
  readonly counters?: StoredCounters | undefined;
  /** Forgets responses kept before `before`. */
  deleteIdempotencyRecords(before: number): Promise<void>;
  /** Resolves when the engine answers. */
  ping(): Promise<void>;
  /** Waits for running transactions, then lets go of the engine. */
  close(): Promise<void>;
}

/** Reading the catalogue and its orders. */
export interface Reader {
  /** At most `limit` animals by ascending id, those with that status, after the animal `after`. */
  listPets(query: PetQuery): Promise<Pet[]>;
  findPet(id: number): Promise<Pet | undefined>;
  /** At most `limit` orders of a key by ascending id, those with that status, after the order `after`. */
  listOrders(query: OrderQuery): Promise<Order[]>;
  /** The order, where it is that key's. */
  findOrder(keyId: string, id: number): Promise<Order | undefined>;
}

export type PetQuery = { limit: number; status?: PetStatus | undefined; after?: number | undefined };
export type OrderQuery = { keyId: string; limit: number; status?: OrderStatus | undefined; after?: number | undefined };
export type NewOrderRecord = { keyId: string; petId: number; createdAt: number };

/** Reading and changing the catalogue and its orders, all or nothing. */
export interface Transaction extends Reader {
  /** Adds an animal under a free id above those that were given before. A status left out stays absent. */
  addPet(pet: NewPet): Promise<Pet>;
  /** Changes the status of an animal that exists. */
  setPetStatus(id: number, status: PetStatus): Promise<void>;
  /** Adds a `placed` order under a free id above those that were given before, for an animal that exists. */
  addOrder(order: NewOrderRecord): Promise<Order>;
  /** Changes the status of an order that exists. */
  setOrderStatus(id: number, status: OrderStatus): Promise<Order>;
  /** The response kept for an Idempotency-Key of an API key, unless it was kept before `notBefore`. */
  findIdempotencyRecord(
    keyId: string,
    idempotencyKey: string,
    notBefore: number,
  ): Promise<IdempotencyRecord | undefined>;
  /** Keeps a response; one that `findIdempotencyRecord` no longer finds is replaced. */
  saveIdempotencyRecord(keyId: string, idempotencyKey: string, response: IdempotencyRecord): Promise<void>;
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
  /** Own limits; the enterprise plan has no others. */
  perMinute?: number | undefined;
  perDay?: number | undefined;
  createdAt: number;
  expiresAt?: number | undefined;
  revokedAt?: number | undefined;
};

/** What the holder of a key sends. Only its hash is kept. */
export type SecretRecord = {
  /** SHA-256 of the secret. */
  hash: Uint8Array;
  /** How to recognise it without knowing it: its prefix and last four characters. */
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
  /** Adds a secret; the older ones end at `olderEndAt`, or sooner where they were to end sooner. */
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
  /** Replaces what was saved before, but for a record that has a later ban of a row: who saves now has not heard of it. */
  save(records: readonly UsageRecord[]): Promise<void>;
}

/** Where callers stand, counted in the database. */
export interface StoredCounters extends RemoteCounters {
  /** Forgets callers whose day is over, and whose last ban, where there was one, ended so many seconds ago. */
  forget(seconds: number): Promise<void>;
}

/** The engine cannot answer at the moment, or refuses to write. The cause is for the log only. */
export class StorageUnavailableError extends Error {
  override name = 'StorageUnavailableError';
  constructor(cause: unknown) {
    super('The storage cannot answer.', { cause });
  }
}

/** The engine was cut off while it committed: the transaction has happened as a whole, or not at all. */
export class OutcomeUnknownError extends StorageUnavailableError {
  override name = 'OutcomeUnknownError';
}

/** The storage cannot be opened as configured. The message is one plain sentence for whoever operates the server. */
export class StorageSetupError extends Error {
  override name = 'StorageSetupError';
}
