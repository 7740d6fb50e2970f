import { hash } from 'node:crypto';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { matchesIfNoneMatch } from '../contract/etag.ts';
import type { OutgoingResponse } from '../contract/response-check.ts';
import type { Storage } from '../storage/storage.ts';

/** Bytes of all entries, at most. */
const MAX_SIZE = 4_000_000;

type Entry = { dataVersion: number; etag: string; headers: Record<string, string> };

/**
 * Remembers the ETags of responses to callers that send If-None-Match. While the data has not changed at all, a further request
 * gets its 304 without a query. Callers without If-None-Match are not remembered.
 */
export class UnchangedResponses {
  readonly #storage: Pick<Storage, 'dataVersion'>;
  readonly #entries = new LRUCache<string, Entry>({ maxSize: MAX_SIZE, sizeCalculation: sizeOf });

  constructor(storage: Pick<Storage, 'dataVersion'>) {
    this.#storage = storage;
  }

  /** Runs an operation that reads, unless its response is known to be the one that the caller has. */
  async get(request: Request, run: () => Promise<OutgoingResponse>): Promise<OutgoingResponse> {
    const { 'if-none-match': header } = request.headers;
    // Before the operation reads: a change in between makes the entry outdated, not wrong.
    const dataVersion = this.#storage.dataVersion();
    if (header === undefined || dataVersion === undefined) return run();
    const name = nameOf(request);
    const entry = this.#entries.get(name);
    if (entry?.dataVersion === dataVersion && matchesIfNoneMatch(header, entry.etag)) {
      return { status: 304, headers: entry.headers, etag: entry.etag };
    }
    const outgoing = await run();
    const { etag, headers } = outgoing;
    if (etag !== undefined) this.#entries.set(name, { dataVersion, etag, headers });
    return outgoing;
  }
}

/** A hash of everything that a response depends on, besides the data: a caller can make that long. */
function nameOf({ context, url }: Request): string {
  const dependencies = [context.key?.id, context.origin, url, context.input?.header, context.accept];
  return hash('sha256', JSON.stringify(dependencies), 'base64url');
}

function sizeOf({ headers }: Entry): number {
  const text = Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  // Name, ETag and the entry itself.
  return 300 + text;
}
