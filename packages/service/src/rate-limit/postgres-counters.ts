import { Batcher } from '../common/batcher.ts';
import { TimeoutError, timeouts, withTimeout } from '../common/time.ts';
import { endCountedBan } from '../storage/postgres/tables.ts';
import { unexpected } from '../storage/rows.ts';
import { CHUNK, type SharedDatabase } from '../storage/storage.ts';
import { type Send, statements } from '../storage/store-definition.ts';
import { argumentsOf, type Call, type Count, LateCountError, type RemoteCounters, readCount } from './counters.ts';

/** The most requests of one caller in one statement, so that the row is locked only briefly. */
const MAX_BATCH = 50;

/** Counters in a table, on the connections of the storage. */
export function createPostgresCounters({ use, onAway }: SharedDatabase): RemoteCounters {
  // Without batching, requests of one caller would occupy several connections that all wait for the lock of one row.
  const batcher = new Batcher<Call, Count>(countInTime, MAX_BATCH);
  /** The answers of calls that were sent and are late. Calls that waited behind them were not sent. */
  const lateAnswers = new WeakMap<Call, Promise<Count>>();

  /** Rejects after `timeouts.count`. The connection stays in use until it gets its answer or is closed. */
  function countInTime(caller: string, calls: Call[]): Promise<Count[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Count[]>();
    const counted = use('counts', async ({ send }) => {
      const counts = countAll(send, caller, calls);
      withTimeout(counts, timeouts.count).then(resolve, (error) => {
        const late = error instanceof TimeoutError ? calls : [];
        for (const [index, call] of late.entries())
          lateAnswers.set(
            call,
            counts.then((all) => all[index] ?? unexpected('a count')),
          );
        reject(error);
      });
      await counts;
    });
    counted.catch(reject);
    return promise;
  }

  return {
    async count(caller, call) {
      try {
        return await batcher.load(caller, call);
      } catch (error) {
        const late = lateAnswers.get(call);
        throw late === undefined ? error : new LateCountError(late);
      }
    },
    lastError: () => undefined,
    onAway,
    endBan: (caller, bannedUntil) =>
      use('counts', async ({ send }) => void (await send(endCountedBan, [caller, bannedUntil]))),
    close: () => {},
  };
}

/** Deletes callers whose day is over and whose last ban, if any, ended at least that many seconds ago. */
export async function forgetCallers({ use }: SharedDatabase, seconds: number): Promise<void> {
  const forgetChunk = () =>
    use('maintenance', async ({ send }) => (await send(countSql.forget, [seconds, CHUNK])).count);
  while ((await forgetChunk()) === CHUNK);
}

/** A row that lost all is rare here, and one that others lowered is not. */
function onlyCertain(call: Call): Call {
  return { ...call, localUsage: { ...call.localUsage, ...call.certain } };
}

/** Counts requests of a caller as `countRequest` does, in their order, in the transaction of this statement. */
async function countAll(send: Send, caller: string, calls: readonly Call[]): Promise<Count[]> {
  const numbers = calls.flatMap((call) => argumentsOf(onlyCertain(call))).map((value) => value ?? null);
  const { rows } =
    calls.length === 1
      ? await send(countSql.count, [caller, ...numbers])
      : await send(countSql.countSeveral, [caller, numbers]);
  return rows.map(readCount);
}

/** In the order of `argumentsOf` and `readCount`. */
const columns = [
  'minute',
  'minute_used',
  'day',
  'day_used',
  'bans',
  'banned_until',
  'refused_window',
  'first_refused_at',
  'refusals',
];

/** The number of values that `argumentsOf` returns for a call. */
const NUMBERS = 20;

const answer = `counted_at, outcome, ban_started::int, ${columns.map((name) => `(usage).${name}`).join(', ')}`;

/** By the clock of the database, as in counting. Waits a day longer, because clocks of two database servers may differ. */
const isOver = `day < extract(epoch FROM now())::bigint / 86400 - 1
      AND banned_until < (extract(epoch FROM now())::bigint - $1::bigint) * 1000`;

export const countSql = statements('counts', {
  // A single call avoids the loop, which would make it half as expensive again.
  count: `SELECT ${answer} FROM ${countRequest((place) => `$${place + 1}`)}`,
  // Counts the calls in order, all in one transaction; $2 contains the numbers of all calls.
  countSeveral: `SELECT ${answer}
    FROM generate_series(0, cardinality($2::float8[]) - 1, ${NUMBERS}) AS start,
      ${countRequest((place) => `$2[start + ${place}]`)}
    ORDER BY start`,
  // The outer condition repeats the inner one, to keep a row that was counted again while this statement waited for its lock.
  forget: `DELETE FROM counts
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM counts WHERE ${isOver} LIMIT $2)) AND ${isOver}`,
});

/** @param number the SQL for a number of the call, by its place in `argumentsOf` from 1 on; $1 is the caller */
function countRequest(number: (place: number) => string): string {
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => number(from + index)).join(', ');
  return `count_request(counted_at => ${number(1)}::bigint, per_minute => ${number(2)}::bigint,
      per_day => ${number(3)}::bigint, known => ROW($1, ${numbers(4, 12)})::counts, alone_minute => ${number(13)}::bigint,
      alone_day => ${number(14)}::bigint, rules => ROW(${numbers(15, NUMBERS)})::ban_rules)`;
}
