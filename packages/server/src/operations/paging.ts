import type { OperationId } from '@animal-store/contract';
import { invalidRequest, isExactInteger } from '@contract-first/service';

/**
 * A prefix in the cursors of each listing, so that no listing accepts the cursor of another. Callers have stored cursors of
 * listPets since 1.0.0, so its prefix never changes.
 */
const prefixes: { readonly [Id in OperationId]?: string } = { listPets: 'after', listOrders: 'order' };

/** An opaque value that encodes the ID after which the next page of a listing starts. */
export function cursorAfter(listing: OperationId, id: number): string {
  return Buffer.from(`${prefixes[listing] ?? listing}:${id}`).toString('base64url');
}

/**
 * The ID that a cursor of a listing encodes; undefined without a cursor.
 * @throws ApiError `invalid_request` if the cursor is not one of this listing
 */
export function readCursor(listing: OperationId, cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, id] = /^\w+:(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  // Identifiers start at 1, so no page ends before that.
  if (id === undefined || !isExactInteger(id) || Number(id) < 1 || cursorAfter(listing, Number(id)) !== cursor) {
    throw invalidRequest([
      {
        where: 'query/cursor',
        what: 'is not a cursor of this list; request the URL in the Link header of the previous page',
      },
    ]);
  }
  return Number(id);
}

/** How many entries to read from the storage: one more than the limit tells whether a further page exists. */
export function oneMoreThan(limit: number): number {
  return limit + 1;
}

/**
 * Makes a page of the entries found with `oneMoreThan(limit)`.
 *
 * @param urlOfNext returns the URL of the page that starts at a cursor
 * @returns the page, and `Link; rel="next"` (RFC 8288) exactly if more entries exist
 */
export function cutPage<Entry extends { id: number }>(
  listing: OperationId,
  found: Entry[],
  limit: number,
  urlOfNext: (cursor: string) => string,
): { body: Entry[]; headers: { Link?: string } } {
  const body = found.slice(0, limit);
  const last = body.at(-1);
  if (found.length <= limit || last === undefined) return { body, headers: {} };
  return { body, headers: { Link: `<${urlOfNext(cursorAfter(listing, last.id))}>; rel="next"` } };
}
