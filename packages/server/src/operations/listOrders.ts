import type { Call, Result } from './operation.ts';
import { cutPage, oneMoreThan, readCursor } from './paging.ts';

export async function listOrders({ query, caller, storage, urlOf }: Call<'listOrders'>): Promise<Result<'listOrders'>> {
  const { limit, status, cursor } = query;
  const after = readCursor('listOrders', cursor);
  const found = await storage.listOrders({ keyId: caller.id, limit: oneMoreThan(limit), status, after });
  return {
    status: 200,
    ...cutPage('listOrders', found, limit, (next) => urlOf('listOrders', { query: { limit, status, cursor: next } })),
  };
}
