import { readCursor } from '../calls/cursor.ts';
import type { Call, Reply } from '../calls/operation.ts';
import { cutPage, oneMoreThan } from '../calls/page.ts';

export async function listOrders({ query, caller, storage, urlOf }: Call<'listOrders'>): Promise<Reply<'listOrders'>> {
  const { limit, status, cursor } = query;
  const after = readCursor('listOrders', cursor);
  const found = await storage.listOrders({ keyId: caller.id, limit: oneMoreThan(limit), status, after });
  return {
    status: 200,
    ...cutPage('listOrders', found, limit, (next) => urlOf('listOrders', { query: { limit, status, cursor: next } })),
  };
}
