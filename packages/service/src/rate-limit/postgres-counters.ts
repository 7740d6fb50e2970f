import { createBatcher } from '../common/batcher.ts';
import { withTimeout } from '../common/time.ts';
import { endCountedBan } from '../storage/postgres/tables.ts';
import { unexpected } from '../storage/rows.ts';
import { CHUNK, type SharedDatabase } from '../storage/storage.ts';
import { type Send, statements } from '../storage/store-definition.ts';
import {
  argumentsOf,
  type Count,
  readCount,
  type SharedCounters,
  type SharedRequest,
  usageFields,
} from './counters.ts';

/** The most requests in one statement, so that rows are locked only briefly. */
const MAX_BATCH = 100;

/**
 * Counters in a table, on the connections of the storage. A process sends one statement at a time: requests that arrive meanwhile share the
 * next one, because each statement is a commit, and several would only wait for the row of a busy caller.
 *
 * @param timeoutMs after which the next statement does not wait for the last one
 */
export function createPostgresCounters({ use }: Pick<SharedDatabase, 'use'>, timeoutMs: number): SharedCounters {
  const countInTime = (requests: SharedRequest[]) => {
    const counts = use(({ send }) => countAll(send, requests), timeoutMs);
    return withTimeout(counts, timeoutMs);
  };
  return {
    count: createBatcher(countInTime, MAX_BATCH),
    endBan: (caller, bannedUntil) => use(async ({ send }) => void (await send(endCountedBan, [caller, bannedUntil]))),
    countsAhead: true,
    close: () => {},
  };
}

/** Counts requests in one transaction. Those of one caller are counted together, by the quota of the last one. */
async function countAll(send: Send, requests: readonly SharedRequest[]): Promise<Count[]> {
  const callers = Map.groupBy(requests.keys(), (index) => requests[index]?.caller ?? '');
  // All processes lock the rows in the order of their callers, and so cannot deadlock.
  const sorted = [...callers].sort(([one], [other]) => (one < other ? -1 : 1));
  const numbers = sorted.flatMap(([, indexes]) => {
    const last = requests[indexes.at(-1) ?? 0];
    // A process counts ahead with one request of a caller at a time.
    const leasing = indexes.map((index) => requests[index]).find((request) => request?.ahead !== undefined);
    const lease = [leasing?.ahead ?? 0, leasing?.unused?.requests ?? 0, leasing?.unused?.minute ?? 0];
    return last === undefined ? [] : [indexes.length, ...lease, ...argumentsOf(last)];
  });
  const names = sorted.map(([caller]) => caller);
  const { rows } = await send(countSql.count, [names, `{${numbers.map((value) => value ?? 'NaN').join()}}`]);
  if (rows.length !== requests.length) return unexpected('the counts');
  const counts = new Array<Count>(rows.length);
  for (const [place, index] of sorted.flatMap(([, indexes]) => indexes).entries())
    counts[index] = readCount(rows[place]);
  return counts;
}

/** Deletes callers whose day is over and whose last ban, if any, ended at least that many seconds ago. */
export async function forgetCallers({ use }: Pick<SharedDatabase, 'use'>, seconds: number): Promise<void> {
  const forgetChunk = () => use(async ({ send }) => (await send(countSql.forget, [seconds, CHUNK])).count);
  while ((await forgetChunk()) === CHUNK);
}

const columns = usageFields.map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** The numbers of each caller: its requests, those to count ahead, those to give back and their minute, and then those of `argumentsOf`. */
const NUMBERS = 22;

/** The SQL for the numbers of a caller from one place to another. A null in an array would make PostgreSQL search each of them from the beginning. */
function numbers(from: number, to = from): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `nullif($2[start + ${from + index}], 'NaN')`).join(', ');
}

/** By the clock of the database, as in counting. Waits a day longer, because clocks of two database servers may differ. */
const isOver = `day < extract(epoch FROM now())::bigint / 86400 - 1
      AND banned_until < (extract(epoch FROM now())::bigint - $1::bigint) * 1000`;

export const countSql = statements('counts', {
  // $1 contains the callers, and $2 the numbers of all of them.
  count: `SELECT counted_at, outcome, ban_started::int, ${columns.map((name) => `(usage).${name}`).join(', ')}, ahead
    FROM generate_series(0, cardinality($2::float8[]) - 1, ${NUMBERS}) AS start,
      count_requests(requests => ${numbers(1)}::bigint, ahead => ${numbers(2)}::bigint,
        unused => ${numbers(3)}::bigint, unused_minute => ${numbers(4)}::bigint, counted_at => ${numbers(5)}::bigint,
        per_minute => ${numbers(6)}::bigint, per_day => ${numbers(7)}::bigint,
        known => ROW(($1::text[])[start / ${NUMBERS} + 1], ${numbers(8, 16)})::counts,
        rules => ROW(${numbers(17, NUMBERS)})::ban_rules)
    ORDER BY start, (usage).day_used`,
  // Waits for no lock, because counting locks rows in another order. The outer condition repeats the inner one, to keep a row that was
  // counted again meanwhile.
  forget: `DELETE FROM counts
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM counts WHERE ${isOver} LIMIT $2 FOR UPDATE SKIP LOCKED)) AND ${isOver}`,
});
