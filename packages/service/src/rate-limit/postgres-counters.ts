import { setImmediate } from 'node:timers/promises';
import { Batcher } from '../common/batcher.ts';
import { TimeoutError, timeouts, withTimeout } from '../common/time.ts';
import { endCountedBan } from '../storage/postgres/tables.ts';
import { unexpected } from '../storage/rows.ts';
import { CHUNK, type SharedDatabase } from '../storage/storage.ts';
import { type Send, statements } from '../storage/store-definition.ts';
import { argumentsOf, type Call, type Count, LateCountError, type RemoteCounters, readCount } from './counters.ts';

/** The most requests in one statement, so that rows are locked only briefly. */
const MAX_BATCH = 50;

/** Requests of one caller that wait to be counted. */
type Batch = {
  caller: string;
  calls: Call[];
  resolve: (counts: Count[] | Promise<Count[]>) => void;
  reject: (error: unknown) => void;
};

/** Counters in a table, on the connections of the storage. */
export function createPostgresCounters({ use, onAway }: SharedDatabase): RemoteCounters {
  // Without batching, requests of one caller would occupy several connections that all wait for the lock of one row.
  const batcher = new Batcher<Call, Count>(
    (caller, calls) =>
      new Promise((resolve, reject) => {
        waiting.push({ caller, calls, resolve, reject });
        collect();
      }),
    MAX_BATCH,
  );
  const waiting: Batch[] = [];
  let isCollecting = false;
  /** The answers of calls that were sent and are late. Calls that waited behind them were not sent. */
  const lateAnswers = new WeakMap<Call, Promise<Count>>();

  /** Counts what the callers of this turn of the event loop send in one statement, because each statement is a commit. */
  function collect(): void {
    if (isCollecting || waiting.length === 0) return;
    isCollecting = true;
    let taken: Batch[] = [];
    const take = (batches: Batch[]) => {
      isCollecting = false;
      taken = batches;
    };
    const counted = use('counts', async ({ send }) => {
      await setImmediate();
      take(takeSome(waiting));
      collect();
      await countInTime(send, taken);
    });
    counted.catch((error: unknown) => {
      if (isCollecting && taken.length === 0) take(waiting.splice(0));
      for (const { reject } of taken) reject(error);
    });
  }

  /** Rejects the batches after `timeouts.count`. Resolves when they have their answers, so that the connection stays in use. */
  async function countInTime(send: Send, batches: Batch[]): Promise<void> {
    const counts = countAll(send, batches);
    const parts = batches.map((batch, index) => ({
      ...batch,
      counts: counts.then((all) => all[index] ?? unexpected('the counts of a caller')),
    }));
    // Each is only awaited if its batch is late or counted.
    for (const part of parts) part.counts.catch(() => {});
    withTimeout(counts, timeouts.count).then(
      () => {
        for (const { resolve, counts } of parts) resolve(counts);
      },
      (error) => {
        for (const { calls, counts, reject } of parts) {
          if (error instanceof TimeoutError) noteLate(calls, counts);
          reject(error);
        }
      },
    );
    await counts;
  }

  function noteLate(calls: Call[], counts: Promise<Count[]>): void {
    for (const [index, call] of calls.entries()) {
      lateAnswers.set(
        call,
        counts.then((all) => all[index] ?? unexpected('a count')),
      );
    }
  }

  return {
    name: 'PostgreSQL',
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

/** The next batches, in the order of their callers, in which all processes lock the rows. */
function takeSome(waiting: Batch[]): Batch[] {
  let calls = 0;
  const rest = waiting.findIndex((batch, index) => {
    calls += batch.calls.length;
    return index > 0 && calls > MAX_BATCH;
  });
  const taken = waiting.splice(0, rest === -1 ? waiting.length : rest);
  return taken.sort((one, other) => (one.caller < other.caller ? -1 : 1));
}

/** Counts requests as `countRequest` does, in the order of each caller, in the transaction of this statement. */
async function countAll(send: Send, batches: readonly Batch[]): Promise<Count[][]> {
  const calls = batches.flatMap((batch) => batch.calls);
  const callers = batches.flatMap(({ caller, calls }) => calls.map(() => caller));
  const numbers = calls.flatMap((call) => argumentsOf(onlyCertain(call)));
  const { rows } =
    calls.length === 1
      ? await send(countSql.count, [callers[0], ...numbers.map((value) => value ?? null)])
      : await send(countSql.countSeveral, [callers, `{${numbers.map((value) => value ?? 'NaN').join()}}`]);
  const counts = rows.map(readCount);
  return batches.map((batch) => counts.splice(0, batch.calls.length));
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
  count: `SELECT ${answer} FROM ${countRequest('$1', (place) => `$${place + 1}`)}`,
  // Counts the calls in order, all in one transaction; $1 contains the callers, and $2 the numbers of all calls. A null in it would make
  // PostgreSQL search each number from the beginning.
  countSeveral: `SELECT ${answer}
    FROM generate_series(0, cardinality($2::float8[]) - 1, ${NUMBERS}) AS start,
      ${countRequest(`($1::text[])[start / ${NUMBERS} + 1]`, (place) => `nullif($2[start + ${place}], 'NaN')`)}
    ORDER BY start`,
  // Waits for no lock, because counting locks rows in another order. The outer condition repeats the inner one, to keep a row that was
  // counted again meanwhile.
  forget: `DELETE FROM counts
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM counts WHERE ${isOver} LIMIT $2 FOR UPDATE SKIP LOCKED)) AND ${isOver}`,
});

/**
 * @param caller the SQL for the caller
 * @param number the SQL for a number of the call, by its place in `argumentsOf` from 1 on
 */
function countRequest(caller: string, number: (place: number) => string): string {
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => number(from + index)).join(', ');
  return `count_request(counted_at => ${number(1)}::bigint, per_minute => ${number(2)}::bigint,
      per_day => ${number(3)}::bigint, known => ROW(${caller}, ${numbers(4, 12)})::counts, alone_minute => ${number(13)}::bigint,
      alone_day => ${number(14)}::bigint, rules => ROW(${numbers(15, NUMBERS)})::ban_rules)`;
}
