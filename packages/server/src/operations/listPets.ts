import { cursorAfter, readCursor } from './cursor.ts';
import type { Call, Reply } from './operation.ts';

export async function listPets({ query, storage, urlOf }: Call<'listPets'>): Promise<Reply<'listPets'>> {
  const { limit, status, cursor } = query;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  // One more than asked for tells whether a further page exists.
  const found = await storage.listPets({ limit: limit + 1, status, after });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (found.length <= limit || last === undefined) return { status: 200, body: page };
  const next = urlOf('listPets', { query: { limit, status, cursor: cursorAfter(last.id) } });
  return { status: 200, body: page, headers: { Link: `<${next}>; rel="next"` } };
}
