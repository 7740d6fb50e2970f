import { cursorAfter, type ListingId } from './cursor.ts';

/** How many entries to ask the storage for: the one more tells whether a further page exists. */
export function oneMoreThan(limit: number): number {
  return limit + 1;
}

/**
 * Cuts a page out of what was found when one more than the limit was asked for.
 *
 * @param urlOfNext the address of the page that starts at a cursor
 * @returns the page, and `Link; rel="next"` (RFC 8288) exactly when more exist
 */
export function cutPage<Entry extends { id: number }>(
  listing: ListingId,
  found: Entry[],
  limit: number,
  urlOfNext: (cursor: string) => string,
): { body: Entry[]; headers: { Link?: string } } {
  const body = found.slice(0, limit);
  const last = body.at(-1);
  if (found.length <= limit || last === undefined) return { body, headers: {} };
  return { body, headers: { Link: `<${urlOfNext(cursorAfter(listing, last.id))}>; rel="next"` } };
}
