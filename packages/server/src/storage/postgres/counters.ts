import { withTimeout } from '../../common/with-timeout.ts';
import type { Call, Count } from '../../quota/counters.ts';
import type { StoredCounters } from '../storage.ts';
import { Batcher } from './batches.ts';
import type { ConnectionPool } from './connection/pool.ts';
import { CHUNK } from './connection/settings.ts';
import { countTable } from './tables/counts.ts';

/**
 * Milliseconds from the question to its answer. With the time that the operation then waits for the database, a caller is
 * told within two seconds that it is away.
 */
const PATIENCE = 500;

/** Requests of one caller that are counted at once, at most: so no other waits long for the lock of its row. */
const TOGETHER = 50;

/** Counters in a table, over the connections of the storage. */
export function createCounters(pool: ConnectionPool): StoredCounters {
  // Many requests of one caller would wait for each other's lock of its row, each with a connection that others need; and
  // one behind the other they would wait for as many answers of a database that is far away or slow.
  const batches = new Batcher<Call, Count>((caller, calls) => ask(pool, caller, calls), TOGETHER);
  return {
    count: (caller, call) => batches.ask(caller, call),
    lastError: () => undefined,
    onAway: pool.onAway,
    close: () => {},
    async forget(seconds) {
      const forgetSome = () => pool.use(({ send }) => countTable(send).forget(seconds, CHUNK));
      while ((await forgetSome()) === CHUNK);
    },
  };
}

/** Rejects sooner than its connection is free again, which may have to be given up first. */
function ask(pool: ConnectionPool, caller: string, calls: Call[]): Promise<Count[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Count[]>();
  const asked = pool.use(async ({ send }) => {
    const answer = countTable(send).count(caller, calls);
    withTimeout(answer, PATIENCE).then(resolve, reject);
    await answer;
  });
  asked.catch(reject);
  return promise;
}
