import { setTimeout as sleep } from 'node:timers/promises';
import { TimeoutError, withTimeout } from '../../common/time.ts';
import { StorageUnavailableError } from '../storage.ts';
import type { Answer, Send } from '../store-definition.ts';
import { type ConnectionPool, createPool } from './pool.ts';
import { BusyError } from './semaphore.ts';
import { Hosts, urlsOf } from './settings.ts';

/** Reads from streaming replicas. */
export type Replicas = {
  /** Sends a read to a replica that has all that the primary server had committed before; to the primary server if there is none. */
  send: (kind: string, ...query: Parameters<Send>) => Promise<Answer>;
  /** As `pool.send`, and to a replica if the primary server is away. For what every request needs. */
  sendToPrimary: (kind: string, ...query: Parameters<Send>) => Promise<Answer>;
  /** Seconds since which reads may lack what was committed; undefined while the primary server answers. */
  staleFor: () => number | undefined;
  /** Whether a replica answers. */
  canRead: () => boolean;
  /** How far each replica is behind, in seconds, by its host; infinite if it does not answer. */
  lags: () => Record<string, number>;
  close: () => Promise<void>;
};

/** Milliseconds between two checks of the servers. */
const CHECK_INTERVAL = 250;

/** Milliseconds in which a replica answers a check. With the interval, one that does not is left out within a second. */
const CHECK_TIMEOUT = 400;

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
  isAnswering = false;
  isStreaming = false;

  constructor(url: string, service: string) {
    this.pool = createPool(new Hosts(url), service);
    this.name = URL.parse(url)?.host ?? '';
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
      this.isAnswering = inRecovery === true;
      this.isStreaming = isStreaming === true;
      this.asOf = samples.findLast(({ position }) => position <= Number(replayed))?.at ?? numberOf(committedAt);
    } catch (error) {
      this.isAnswering = false;
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
  let isPrimaryAway = false;
  const stopped = new AbortController();
  const position = shareRounds(() => askPosition().catch(askAgain));

  async function askPosition(): Promise<Sample> {
    const at = Date.now();
    const { rows } = await primary.send('replicas', POSITION);
    return { at, position: Number(rows[0]?.[0]) };
  }

  /** One connection that breaks does not mean that the primary server is away. */
  function askAgain(error: unknown): Promise<Sample> {
    const isSilent = error instanceof StorageUnavailableError && error.cause instanceof TimeoutError;
    if (isSilent || error instanceof BusyError) throw error;
    return askPosition();
  }

  /** What a read must see; undefined if the primary server is away. */
  async function required(): Promise<number | undefined> {
    if (isPrimaryAway) return undefined;
    try {
      return (await position()).position;
    } catch (error) {
      // Otherwise a caller could miss its own writes while the primary server is only busy.
      if (error instanceof BusyError) throw error;
      isPrimaryAway = true;
      return undefined;
    }
  }

  function isUsable({ isAnswering, isStreaming, asOf }: Replica): boolean {
    if (isPrimaryAway) return isAnswering;
    return isAnswering && isStreaming && asOf !== undefined && Date.now() - asOf <= MAX_LAG + CHECK_INTERVAL;
  }

  function choose(): Replica | undefined {
    const usable = replicas.filter(isUsable);
    // Without the primary server, the one that has most.
    if (isPrimaryAway) return usable.sort((a, b) => (b.asOf ?? 0) - (a.asOf ?? 0))[0];
    return usable.sort((a, b) => a.inFlight - b.inFlight)[0];
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
    const replica = position === undefined && !isPrimaryAway ? undefined : choose();
    const answer = replica && (await readFrom(replica, position, kind, query));
    return answer ?? (await primary.send(kind, ...query));
  }

  async function sendToPrimary(kind: string, ...query: Parameters<Send>): Promise<Answer> {
    const replica = isPrimaryAway ? choose() : undefined;
    const answer = replica && (await readFrom(replica, undefined, kind, query));
    return answer ?? (await primary.send(kind, ...query));
  }

  function staleFor(): number | undefined {
    if (!isPrimaryAway) return undefined;
    const asOf = choose()?.asOf;
    return asOf === undefined ? undefined : Math.max(0, Math.ceil((Date.now() - asOf) / 1_000));
  }

  async function checkPrimary(): Promise<void> {
    try {
      samples.push(await position());
      if (samples.length > MAX_SAMPLES) samples.shift();
      isPrimaryAway = false;
    } catch (error) {
      isPrimaryAway = !(error instanceof BusyError);
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

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** Calls `ask` once for all that want an answer while an earlier call is running. Each gets an answer to a call that began afterwards. */
function shareRounds<T>(ask: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  function start(): Promise<T> {
    next = undefined;
    const round = ask().finally(() => {
      if (running === round) running = undefined;
    });
    running = round;
    return round;
  }
  return () => {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  };
}
