import type { Call, Count } from '../../../quota/counters.ts';
import { argumentsOf, readCount } from '../../../quota/wire-format.ts';
import { type Send, statements } from '../connection/statement.ts';

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

/** How many numbers `argumentsOf` gives for a call. */
const NUMBERS = 20;

const answer = `counted_at, outcome, ban_started::int, ${columns.map((name) => `(usage).${name}`).join(', ')}`;

/** By the clock of the server, as the counting goes. A day more, for clocks of servers that take each other's place. */
const isOver = `day < extract(epoch FROM now())::bigint / 86400 - 1
      AND banned_until < (extract(epoch FROM now())::bigint - $1::bigint) * 1000`;

export const countSql = statements('counts', {
  // For one call without the loop of several, which costs half as much again.
  count: `SELECT ${answer} FROM ${countRequest((place) => `$${place + 1}`)}`,
  // One call after the other, all in one transaction; $2 has the numbers of all of them.
  countSeveral: `SELECT ${answer}
    FROM generate_series(0, cardinality($2::float8[]) - 1, ${NUMBERS}) AS start,
      ${countRequest((place) => `$2[start + ${place}]`)}
    ORDER BY start`,
  // Looked at twice: what was counted again while this waited for its lock stays.
  forget: `DELETE FROM counts
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM counts WHERE ${isOver} LIMIT $2)) AND ${isOver}`,
});

/** @param number where a number of the call is, by its place in `argumentsOf` from 1 on; $1 is the caller */
function countRequest(number: (place: number) => string): string {
  const numbers = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => number(from + index)).join(', ');
  return `count_request(counted_at => ${number(1)}::bigint, per_minute => ${number(2)}::bigint,
      per_day => ${number(3)}::bigint, known => ROW($1, ${numbers(4, 12)})::counts, alone_minute => ${number(13)}::bigint,
      alone_day => ${number(14)}::bigint, rules => ROW(${numbers(15, NUMBERS)})::ban_rules)`;
}

/** The table of where callers stand. */
export function countTable(send: Send) {
  return {
    /** Counts requests of a caller as `countRequest` does, in their order, in the transaction of this statement. */
    async count(caller: string, calls: readonly Call[]): Promise<Count[]> {
      const numbers = calls.flatMap(argumentsOf).map((value) => value ?? null);
      const { rows } =
        calls.length === 1
          ? await send(countSql.count, [caller, ...numbers])
          : await send(countSql.countSeveral, [caller, numbers]);
      return rows.map(readCount);
    },
    /** Forgets at most `limit` callers whose day is over and whose bans ended so many seconds ago, and says how many. */
    async forget(seconds: number, limit: number): Promise<number> {
      return (await send(countSql.forget, [seconds, limit])).count;
    },
  };
}
