import type { Call, Result } from './operation.ts';
import { cutPage, oneMoreThan, readCursor } from './paging.ts';

export async function listPets({ query, storage, urlOf }: Call<'listPets'>): Promise<Result<'listPets'>> {
  const { limit, status, cursor } = query;
  const found = await storage.listPets({ limit: oneMoreThan(limit), status, after: readCursor('listPets', cursor) });
  return {
    status: 200,
    ...cutPage('listPets', found, limit, (next) => urlOf('listPets', { query: { limit, status, cursor: next } })),
  };
}
