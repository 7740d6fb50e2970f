import type { Reader, Transaction } from '../storage.ts';
import { ask } from './failure.ts';
import type { IdempotencyTable } from './tables/idempotency.ts';
import type { OrderTable } from './tables/orders.ts';
import type { PetTable } from './tables/pets.ts';

export type CatalogueTables = { pets: PetTable; orders: OrderTable };

/** Asks a question of the engine; how depends on who asks. */
export type Ask = <Answer>(question: () => Answer) => Promise<Answer>;

/** The reading half, for those outside of a transaction and for those within one. */
export function readerOf({ pets, orders }: CatalogueTables, read: Ask): Reader {
  return {
    listPets: (query) => read(() => pets.list(query)),
    findPet: (id) => read(() => pets.find(id)),
    listOrders: (query) => read(() => orders.list(query)),
    findOrder: (keyId, id) => read(() => orders.find(keyId, id)),
  };
}

/** Runs a work with a transaction that it can use until it is done, on the connection whose tables these are. */
export async function runWork<T>(
  tables: CatalogueTables & { responses: IdempotencyTable },
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { pets, orders, responses } = tables;
  let over = false;
  const use: Ask = async (question) => {
    // What a work forgot to wait for must not end up in the transaction of another one.
    if (over) throw new Error('The transaction is over.');
    return ask(question);
  };
  try {
    return await work({
      ...readerOf(tables, use),
      addPet: (pet) => use(() => pets.add(pet)),
      setPetStatus: (id, status) => use(() => pets.setStatus(id, status)),
      addOrder: (order) => use(() => orders.add(order)),
      setOrderStatus: (id, status) => use(() => orders.setStatus(id, status)),
      findIdempotencyRecord: (keyId, idempotencyKey, notBefore) =>
        use(() => responses.find(keyId, idempotencyKey, notBefore)),
      saveIdempotencyRecord: (keyId, idempotencyKey, response) =>
        use(() => responses.keep(keyId, idempotencyKey, response)),
    });
  } finally {
    over = true;
  }
}
