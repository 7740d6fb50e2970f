import type { Call, Result } from './operation.ts';
import { cutPage, oneMoreThan, readCursor } from './paging.ts';

export async function listPets({ query, storage, urlOf }: Call<'listPets'>): Promise<Result<'listPets'>> {
  const { limit, status, id, categoryId, cursor } = query;
  const after = readCursor('listPets', cursor);
  const found = await storage.listPets({ limit: oneMoreThan(limit), status, ids: id, categoryId, after });
  return {
    status: 200,
    ...cutPage('listPets', found, limit, (next) => urlOf('listPets', { query: { ...query, cursor: next } })),
  };
}
