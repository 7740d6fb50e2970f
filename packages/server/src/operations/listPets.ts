import { cursorAfter, readCursor } from './cursor.ts';
import type { Operation } from './operation.ts';

export const listPets: Operation<'listPets'> = async ({ query, storage, urlOf }) => {
  const { limit, status, cursor } = query;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  // One more than asked for tells whether a further page exists.
  const found = await storage.listPets({ limit: limit + 1, status, after });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (found.length <= limit || last === undefined) return { status: 200, body: page };
  const next = urlOf('listPets', { query: { limit, status, cursor: cursorAfter(last.id) } });
  return { status: 200, body: page, headers: { Link: `<${next}>; rel="next"` } };
};
