import { invalidRequest } from '../contract/api-error.ts';
import { isExactInteger } from '../contract/integers.ts';

/**
 * The word in the cursors of each listing, so that no listing takes the cursor of another. Those of listPets are kept by
 * callers since 1.0.0, so its word stays.
 */
const words = { listPets: 'after', listOrders: 'order' };

/** An operation that lists page by page. */
export type ListingId = keyof typeof words;

/** An opaque value that says after which id the next page of a listing starts. */
export function cursorAfter(listing: ListingId, id: number): string {
  return Buffer.from(`${words[listing]}:${id}`).toString('base64url');
}

/**
 * The id that a cursor of a listing stands for; undefined without a cursor.
 * @throws ApiError `invalid_request` when this listing never gave out such a cursor
 */
export function readCursor(listing: ListingId, cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, id] = /^[a-z]+:(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (id === undefined || !isExactInteger(id) || cursorAfter(listing, Number(id)) !== cursor) {
    throw invalidRequest([
      { where: 'query/cursor', what: 'is not one that this listing gave out; take it from the Link header of a page' },
    ]);
  }
  return Number(id);
}
