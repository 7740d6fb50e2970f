import { invalidRequest } from '../errors.ts';
import { isExactInteger } from '../request/integers.ts';

/** An opaque value that says after which id the next page starts. */
export function cursorAfter(id: number): string {
  return Buffer.from(`after:${id}`).toString('base64url');
}

/**
 * The id that a cursor stands for; undefined without a cursor.
 * @throws ApiError `invalid_request` when we never gave out such a cursor
 */
export function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  const [, id] = /^after:(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (id === undefined || !isExactInteger(id) || cursorAfter(Number(id)) !== cursor) {
    throw invalidRequest([
      { where: 'query/cursor', what: 'is not one that this API gave out; take it from the Link header of a page' },
    ]);
  }
  return Number(id);
}
