import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { OutgoingResponse } from '../contract/response-check.ts';
import type { Storage } from '../storage/storage.ts';

/** Characters of all entries, at most. */
const MAX_SIZE = 4_000_000;

/** A smaller body is read from the database about as quickly as from here. */
const MIN_BODY_SIZE = 1_000;

type Entry = { dataVersion: number; outgoing: OutgoingResponse };

/**
 * Caches the responses of reading operations until the data changes. The same request then gets its response, or its 304,
 * without a query. Only responses with an ETag are cached, because they depend only on the request and the data.
 */
export class ResponseCache {
  readonly #storage: Pick<Storage, 'dataVersion'>;
  readonly #entries = new LRUCache<string, Entry>({ maxSize: MAX_SIZE, sizeCalculation: sizeOf });
  /** Never newer than the data: an entry with an older version is never used. */
  #dataVersion: number | undefined;

  constructor(storage: Pick<Storage, 'dataVersion'>) {
    this.#storage = storage;
    this.#dataVersion = storage.dataVersion();
  }

  /** The response to a GET: the cached one, or else the one that `run` returns. */
  async get(request: Request, run: () => Promise<OutgoingResponse>): Promise<OutgoingResponse> {
    // This storage does not know when its data changes.
    if (this.#dataVersion === undefined) return run();
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
    if (dataVersion !== undefined && isWorthKeeping(request, outgoing)) {
      this.#entries.set(name, { dataVersion, outgoing });
    }
    return outgoing;
  }
}

function isWorthKeeping({ headers }: Request, { etag, body }: OutgoingResponse): boolean {
  if (etag === undefined || body === undefined) return false;
  return body.length >= MIN_BODY_SIZE || headers['if-none-match'] !== undefined;
}

/** Everything that a response depends on, except the data. The three headers decide which host its links lead to. */
function nameOf({ context: { key, accept, input }, url, headers }: Request): string {
  const { host, 'x-forwarded-host': forwardedHost, 'x-forwarded-proto': scheme } = headers;
  const header = input?.header === undefined ? '' : JSON.stringify(input.header);
  // No header contains a line feed.
  return `${key?.id}\n${url}\n${host}\n${forwardedHost}\n${scheme}\n${accept}\n${header}`;
}

function sizeOf({ outgoing: { headers, body } }: Entry, name: string): number {
  let size = name.length + (body?.length ?? 0);
  for (const header in headers) size += header.length + (headers[header]?.length ?? 0);
  // The overhead of an entry.
  return size + 500;
}
