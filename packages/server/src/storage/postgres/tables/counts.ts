import type { Call, Count } from '../../../limits/shared/counters.ts';
import { argumentsOf, readCount } from '../../../limits/shared/wire.ts';
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

/** By the clock of the server, as the counting goes. A day more, for clocks of servers that take each other's place. */
const isOver = `day < extract(epoch FROM now())::bigint / 86400 - 1
      AND banned_until < (extract(epoch FROM now())::bigint - $1::bigint) * 1000`;

export const countSql = statements('counts', {
  count: `SELECT counted_at, outcome, ban_started::int, ${columns.map((name) => `(usage).${name}`).join(', ')}
    FROM count_request(counted_at => $2, per_minute => $3, per_day => $4,
      known => ROW($1, ${placeholders(5, 13)})::counts, alone_minute => $14, alone_day => $15,
      rules => ROW(${placeholders(16, 21)})::ban_rules)`,
  // Looked at twice: what was counted again while this waited for its lock stays.
  forget: `DELETE FROM counts
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM counts WHERE ${isOver} LIMIT $2)) AND ${isOver}`,
});

function placeholders(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, index) => `$${from + index}`).join(', ');
}

/** The table of where callers stand. */
export function countTable(send: Send) {
  return {
    /** Counts a request as `countRequest` does, in the transaction of this statement. */
    async count(caller: string, call: Call): Promise<Count> {
      const { rows } = await send(countSql.count, [caller, ...argumentsOf(call).map((value) => value ?? null)]);
      return readCount(rows[0]);
    },
    /** Forgets at most `limit` callers whose day is over and whose bans ended so many seconds ago, and says how many. */
    async forget(seconds: number, limit: number): Promise<number> {
      return (await send(countSql.forget, [seconds, limit])).count;
    },
  };
}
