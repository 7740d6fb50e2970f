import { readCursor } from '../calls/cursor.ts';
import type { Call, Reply } from '../calls/operation.ts';
import { cutPage, oneMoreThan } from '../calls/page.ts';

export async function listPets({ query, storage, urlOf }: Call<'listPets'>): Promise<Reply<'listPets'>> {
  const { limit, status, cursor } = query;
  const found = await storage.listPets({ limit: oneMoreThan(limit), status, after: readCursor('listPets', cursor) });
  return {
    status: 200,
    ...cutPage('listPets', found, limit, (next) => urlOf('listPets', { query: { limit, status, cursor: next } })),
  };
}
