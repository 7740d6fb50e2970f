import { banRules } from '@animal-store/contract';
import { countRequest } from '../../../../packages/server/src/quota/count-request.ts';
import { anonymousQuota, quotaOf, type Usage, usageFor } from '../../../../packages/server/src/quota/usage.ts';
import type { Verdict } from '../../../../packages/server/src/quota/verdict.ts';
import type { Database, Key } from './database.ts';

/** Milliseconds between two times that usage is written down: what a crash may forget, as our server has it. */
const FLUSH_INTERVAL = 1_000;
const MAX_ADDRESSES = 50_000;

/** Counts requests as our server does. A ban is on disk before its first 429. */
export function openQuotas(database: Database) {
  const keys = database.loadUsage(Date.now());
  const addresses = new Map<string, Usage>();
  const changed = new Set<string>();
  const timer = setInterval(flush, FLUSH_INTERVAL).unref();

  function countKey(key: Key, now: number): Verdict {
    const usage = usageFor(keys, key.id, now);
    const verdict = countRequest(usage, quotaOf(key), now, banRules);
    changed.add(key.id);
    if (verdict.banStarted) database.saveUsage([[key.id, usage]]);
    return verdict;
  }

  function countAddress(address: string, now: number): Verdict {
    const verdict = countRequest(usageFor(addresses, address, now), anonymousQuota, now, undefined);
    if (addresses.size > MAX_ADDRESSES) addresses.delete(addresses.keys().next().value ?? '');
    return verdict;
  }

  function flush(): void {
    if (changed.size === 0) return;
    database.saveUsage([...changed].map((id) => [id, usageFor(keys, id, Date.now())]));
    changed.clear();
  }

  function close(): void {
    clearInterval(timer);
    flush();
  }

  return { countKey, countAddress, close };
}
