import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { OutgoingResponse } from '../openapi/response-check.ts';
import type { Storage } from '../storage/storage.ts';

/** Few, so that pages that are requested only once are freed before the garbage collector moves them. */
const MAX_ENTRIES = 32;

const MAX_BODY = 100_000;

type Entry = { dataVersion: number; outgoing: OutgoingResponse };

/**
 * Caches the responses of lists until the database changes: a hot list takes 69 µs instead of 119 µs (decision 27). Only responses with an
 * ETag are cached, because they depend only on the request and the data. A single resource is read from the database as quickly as from here.
 */
export class ResponseCache {
  readonly #storage: Pick<Storage, 'dataVersion'>;
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
  /** Never newer than the data: an entry with an older version is never used. */
  #dataVersion: number | undefined;

  constructor(storage: Pick<Storage, 'dataVersion'>) {
    this.#storage = storage;
    this.#dataVersion = storage.dataVersion();
  }

  /** The response to a GET: the cached one, or else the one that `run` returns. */
  async get(request: Request, run: () => Promise<OutgoingResponse>): Promise<OutgoingResponse> {
    // This storage does not know when its data changes.
    if (this.#dataVersion === undefined || hasPathParameters(request)) return run();
    // What a function says about a caller may change with each request.
    if (request.context.key?.verified !== undefined) return run();
    const name = nameOf(request);
    const entry = this.#entries.get(name);
    if (entry !== undefined) {
      // Read only for requests that were seen before, because it is a query.
      const current = this.#storage.dataVersion();
      if (entry.dataVersion === current) return entry.outgoing;
      this.#dataVersion = current ?? this.#dataVersion;
    }
    const dataVersion = this.#dataVersion;
    const outgoing = await run();
    if (dataVersion !== undefined && isWorthKeeping(outgoing)) {
      this.#entries.set(name, { dataVersion, outgoing });
    }
    return outgoing;
  }
}

function hasPathParameters({ context: { route } }: Request): boolean {
  return route.kind === 'operation' && Object.keys(route.parameters).length > 0;
}

function isWorthKeeping({ etag, body }: OutgoingResponse): boolean {
  return etag !== undefined && body !== undefined && body.length <= MAX_BODY;
}

/** Everything that a response depends on, except the data. The three headers decide which host its links lead to. */
function nameOf({ context: { key, accept, input }, url, headers }: Request): string {
  const { host, 'x-forwarded-host': forwardedHost, 'x-forwarded-proto': scheme } = headers;
  const header = input?.header === undefined ? '' : JSON.stringify(input.header);
  // No header contains a line feed.
  return `${key?.id}\n${url}\n${host}\n${forwardedHost}\n${scheme}\n${accept}\n${header}`;
}
