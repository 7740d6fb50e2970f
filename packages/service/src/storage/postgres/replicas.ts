import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher } from '../../common/batcher.ts';
import { withTimeout } from '../../common/time.ts';
import { StorageUnavailableError } from '../storage.ts';
import type { Answer, Send } from '../store-definition.ts';
import { sqlState, TOO_MANY_CONNECTIONS } from './errors.ts';
import { type ConnectionPool, createPool } from './pool.ts';
import { BusyError } from './semaphore.ts';
import { Hosts, urlsOf } from './settings.ts';

/** Reads from streaming replicas. */
export type Replicas = {
  /** Sends a read to a replica that has all that the primary server had committed before; to the primary server if there is none. */
  send: (kind: string, ...query: Parameters<Send>) => Promise<Answer>;
  /** As `pool.send`, and to a replica if the primary server is away. For what every request needs. */
  sendToPrimary: (kind: string, ...query: Parameters<Send>) => Promise<Answer>;
  /** Seconds since which reads may lack what was committed; undefined if the primary server has answered since a time by `performance.now()`. */
  staleFor: (since: number) => number | undefined;
  /** Whether a replica answers. */
  canRead: () => boolean;
  /** How far each replica is behind, in seconds, by its host; infinite if it does not answer. */
  lags: () => Record<string, number>;
  close: () => Promise<void>;
};

/** Milliseconds between two checks of the servers. */
const CHECK_INTERVAL = 250;

/** Milliseconds in which a replica answers a check. After two without an answer, within a second, reads no longer wait for it. */
const CHECK_TIMEOUT = 300;

/** Milliseconds for the answer of the primary server, which is asked twice before it counts as away. */
const POSITION_TIMEOUT = 700;

/** Milliseconds by which a replica may lag behind; with more, reads go elsewhere. */
const MAX_LAG = 1_000;

/** Milliseconds until a replica is asked again for what it does not have yet. It usually follows within one. */
const RETRY_DELAY = 2;

/** Remembered positions of the primary server, by which a lag is measured: 250 seconds. */
const MAX_SAMPLES = 1_000;

/** The end of what is committed, as a number of bytes of the write-ahead log. */
const POSITION = { name: 'replicas.position', text: "SELECT (pg_current_wal_flush_lsn() - '0/0')::int8" };

/** Whether it is a replica, what it has, whether it follows a server, and the time of its last commit by that server's clock. */
const STATE = {
  name: 'replicas.state',
  text: `SELECT pg_is_in_recovery(), (pg_last_wal_replay_lsn() - '0/0')::int8, EXISTS (SELECT FROM pg_stat_wal_receiver),
    (extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000)::int8`,
};

const REPLAYED = {
  name: 'replicas.replayed',
  text: "SELECT pg_is_in_recovery(), (pg_last_wal_replay_lsn() - '0/0')::int8",
};

/** A position of the primary server, and when it was asked for, in Unix milliseconds. */
type Sample = { at: number; position: number };

/** One replica, or a name that leads to several. */
class Replica {
  readonly pool: ConnectionPool;
  readonly name: string;
  /** Rejects each read that waits for it. */
  readonly #reading = new Set<(reason: unknown) => void>();
  /** Up to when it has what was committed, in Unix milliseconds; undefined if that is unknown. */
  asOf: number | undefined;
  isStreaming = false;
  /** Checks in a row without an answer. */
  misses = 1;

  constructor(url: string, service: string) {
    this.pool = createPool(new Hosts(url), service);
    this.name = URL.parse(url)?.host ?? '';
  }

  get isAnswering(): boolean {
    return this.misses === 0;
  }

  get inFlight(): number {
    return this.#reading.size;
  }

  /** Runs `call`. Rejects when the replica is left out meanwhile, so that the read goes elsewhere. */
  use<T>(call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reading.add(reject);
      const settled = () => void this.#reading.delete(reject);
      call().then(resolve, reject).finally(settled);
    });
  }

  async check(samples: readonly Sample[]): Promise<void> {
    try {
      const { rows } = await withTimeout(this.pool.send('check', STATE, [], CHECK_TIMEOUT), CHECK_TIMEOUT);
      const { 0: inRecovery, 1: replayed, 2: isStreaming, 3: committedAt } = rows[0] ?? {};
      this.misses = inRecovery === true ? 0 : this.misses + 1;
      this.isStreaming = isStreaming === true;
      this.asOf = samples.findLast(({ position }) => position <= Number(replayed))?.at ?? numberOf(committedAt);
    } catch (error) {
      // This process sends more than the connections to the replica can take.
      if (error instanceof BusyError) return;
      this.misses += 1;
      if (this.misses < 2) return;
      for (const reject of this.#reading) reject(new StorageUnavailableError(error));
    }
  }
}

/**
 * Opens replicas of a database.
 *
 * A read asks the primary server for its position first, in one query for all reads that begin meanwhile, and counts only if the replica
 * had that position. So a caller sees its own writes, through any server. If a replica does not have it in time, the primary server
 * answers. Without a primary server, replicas answer with what they have.
 *
 * @param readUrl one or several hosts
 */
export function openReplicas(readUrl: string, service: string, primary: Pick<ConnectionPool, 'send'>): Replicas {
  const replicas = urlsOf(readUrl).map((url) => new Replica(url, service));
  const samples: Sample[] = [];
  /** When the primary server was found to be away, in Unix milliseconds. */
  let awaySince: number | undefined;
  /** Until when it was away last, by `performance.now()`. */
  let awayUntil = 0;
  const stopped = new AbortController();
  const positions = new Batcher<undefined, Sample>(async (_, questions) => {
    const sample = await askPosition().catch(askAgain);
    return questions.map(() => sample);
  }, Number.POSITIVE_INFINITY);
  const position = () => positions.load('', undefined);

  async function askPosition(): Promise<Sample> {
    const at = Date.now();
    const { rows } = await primary.send('replicas', POSITION, [], POSITION_TIMEOUT);
    return { at, position: Number(rows[0]?.[0]) };
  }

  /** One connection that breaks or is silent does not mean that the primary server is away. */
  function askAgain(error: unknown): Promise<Sample> {
    if (isBusy(error)) throw error;
    return askPosition();
  }

  function reportAway(): void {
    awaySince ??= Date.now();
  }

  /** What a read must see; undefined if the primary server is away. */
  async function required(): Promise<number | undefined> {
    if (awaySince !== undefined) return undefined;
    try {
      return (await position()).position;
    } catch (error) {
      // Otherwise a caller could miss its own writes while the primary server is only busy.
      if (isBusy(error)) throw error;
      reportAway();
      return undefined;
    }
  }

  function isUsable({ isAnswering, isStreaming, asOf }: Replica): boolean {
    if (awaySince !== undefined) return isAnswering;
    const newest = samples.at(-1)?.at;
    return isAnswering && isStreaming && asOf !== undefined && newest !== undefined && newest - asOf <= MAX_LAG;
  }

  /** The one that is least busy. */
  function choose(): Replica | undefined {
    return replicas.filter(isUsable).sort((a, b) => a.inFlight - b.inFlight)[0];
  }

  /** The answer of a replica; undefined if it does not have the position. */
  async function readAt(
    replica: Replica,
    position: number,
    kind: string,
    query: Parameters<Send>,
  ): Promise<Answer | undefined> {
    const [state, answer] = await replica.use(() => replica.pool.sendAll(kind, [[REPLAYED], query]));
    if (state?.status !== 'fulfilled') throw state?.reason;
    const { 0: inRecovery, 1: replayed } = state.value.rows[0] ?? {};
    if (inRecovery !== true || Number(replayed) < position) return undefined;
    if (answer?.status !== 'fulfilled') throw answer?.reason;
    return answer.value;
  }

  async function readFrom(
    replica: Replica,
    position: number | undefined,
    kind: string,
    query: Parameters<Send>,
  ): Promise<Answer | undefined> {
    try {
      if (position === undefined) return await replica.use(() => replica.pool.send(kind, ...query));
      const first = await readAt(replica, position, kind, query);
      if (first !== undefined) return first;
      await sleep(RETRY_DELAY);
      return await readAt(replica, position, kind, query);
    } catch (error) {
      // Also a read that conflicts with what the replica replays.
      if (error instanceof StorageUnavailableError) return undefined;
      throw error;
    }
  }

  async function send(kind: string, ...query: Parameters<Send>): Promise<Answer> {
    const position = replicas.some(isUsable) ? await required() : undefined;
    const replica = position === undefined ? undefined : choose();
    const answer = replica && (await readFrom(replica, position, kind, query));
    return answer ?? sendToPrimary(kind, ...query);
  }

  async function sendToPrimary(kind: string, ...query: Parameters<Send>): Promise<Answer> {
    const known = await readWithoutPrimary(kind, query);
    if (known !== undefined) return known;
    try {
      return await primary.send(kind, ...query);
    } catch (error) {
      const answer = error instanceof StorageUnavailableError ? await readWithoutPrimary(kind, query) : undefined;
      if (answer === undefined) throw error;
      return answer;
    }
  }

  /** While the primary server is away, the answer of the replica that has most, or else of another one. */
  async function readWithoutPrimary(kind: string, query: Parameters<Send>): Promise<Answer | undefined> {
    if (awaySince === undefined) return undefined;
    for (const replica of replicas.filter(isUsable).sort((a, b) => (b.asOf ?? 0) - (a.asOf ?? 0))) {
      const answer = await readFrom(replica, undefined, kind, query);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  function staleFor(since: number): number | undefined {
    if (awaySince === undefined && awayUntil < since) return undefined;
    const times = replicas.flatMap(({ isAnswering, asOf }) => (isAnswering && asOf !== undefined ? [asOf] : []));
    const oldest = Math.min(...times, awaySince ?? Date.now());
    return Math.max(0, Math.ceil((Date.now() - oldest) / 1_000));
  }

  async function checkPrimary(): Promise<void> {
    try {
      samples.push(await position());
      if (samples.length > MAX_SAMPLES) samples.shift();
      if (awaySince !== undefined) awayUntil = performance.now();
      awaySince = undefined;
    } catch (error) {
      if (!isBusy(error)) reportAway();
    }
  }

  /** Checks the servers at the same time, so that a silent one delays nothing. */
  async function checkAgain(check: () => Promise<void>): Promise<void> {
    while (!stopped.signal.aborted) {
      await check();
      await sleep(CHECK_INTERVAL, undefined, { ref: false, signal: stopped.signal }).catch(() => {});
    }
  }
  for (const replica of replicas) void checkAgain(() => replica.check(samples));
  void checkAgain(checkPrimary);

  return {
    send,
    sendToPrimary,
    staleFor,
    canRead: () => replicas.some(({ isAnswering }) => isAnswering),
    lags: () => Object.fromEntries(replicas.map((replica) => [replica.name, lagOf(replica)])),
    async close() {
      stopped.abort();
      await Promise.all(replicas.map(({ pool }) => pool.close()));
    },
  };
}

/** In seconds. */
function lagOf({ isAnswering, asOf }: Replica): number {
  return isAnswering && asOf !== undefined ? Math.max(0, Date.now() - asOf) / 1_000 : Number.POSITIVE_INFINITY;
}

/** Whether this process or the primary server has no connection for a call, although the server may answer others. */
function isBusy(error: unknown): boolean {
  if (error instanceof BusyError) return true;
  return error instanceof StorageUnavailableError && sqlState(error.cause) === TOO_MANY_CONNECTIONS;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
