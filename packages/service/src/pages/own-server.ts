import { LRUCache } from 'lru-cache';
import type { Mode } from '../common/facts.ts';

export type OwnServer = { origin: string; basePath: string; baseUrl: string; mode: Mode; keyPrefix: string };

/** Callers choose the origin with the Host header, unless PUBLIC_URL is set. Each origin costs memory. */
const maxOrigins = 16;
const oneMinute = 60_000;

/**
 * What was made for each origin: at most 32 MB, for at most 16 origins that were asked for in the last minute. Responses share it,
 * because those that no client reads would each keep their own.
 */
export class PerOrigin {
  readonly #origins = new LRUCache<string, true>({ max: maxOrigins, ttl: oneMinute, updateAgeOnGet: true });
  readonly #made = new LRUCache<string, Buffer, () => Promise<Buffer>>({
    maxSize: 32 * 1024 * 1024,
    sizeCalculation: ({ length }) => length || 1,
    // An entry that is evicted while it is made is still sent to those who wait for it.
    ignoreFetchAbort: true,
    fetchMethod: (_name, _stale, { context: make }) => make(),
  });

  /** Whether the origin may be filled in: false for one too many, and for none, if the Host header is not valid. */
  accepts(origin: string): boolean {
    if (origin === '') return false;
    if (this.#origins.get(origin) === true) return true;
    this.#origins.purgeStale();
    if (this.#origins.size >= maxOrigins) return false;
    this.#origins.set(origin, true);
    return true;
  }

  /** @param name what is made, with everything that it depends on, such as the origin */
  get(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
    return this.#made.forceFetch(name, { context: make });
  }
}
