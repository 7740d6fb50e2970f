import { enumerations, limits, type Order, type OrderStatus } from '@animal-store/contract';
import { integer, type Row, type Send, statements, unexpected } from '@contract-first/service/storage';
import { type Dialect, type Page, pagesIn } from './dialect.ts';

export interface OrderReader {
  /** At most `limit` orders of a key by ascending ID, after the order `after`, that match all of the given filters. */
  listOrders(query: OrderQuery): Promise<Order[]>;
  /** The order, if it belongs to that key. */
  findOrder(keyId: string, id: number): Promise<Order | undefined>;
  /** The pets of at most `limit` orders that are `placed` since `placedBefore` or longer, the oldest orders first. */
  listPetsOfOldOrders(placedBefore: number, limit: number): Promise<number[]>;
}

export interface OrderWriter extends OrderReader {
  /** Whether a pet has a `placed` order. If the transaction has found the pet before, the result cannot change until it ends. */
  hasPlacedOrder(petId: number): Promise<boolean>;
  /**
   * Makes the `placed` order of a pet `expired` if it was placed at `placedBefore` or earlier, and resolves to whether it did. An order
   * that another transaction is completing or cancelling stays as it is. Find the pet first, in the same transaction.
   */
  expireOrderOf(petId: number, placedBefore: number): Promise<boolean>;
  /** Adds a `placed` order under a new ID, higher than all before it, for a pet that exists. */
  addOrder(order: NewOrderRecord): Promise<Order>;
  /** Changes the status of an order that exists. */
  setOrderStatus(id: number, status: OrderStatus): Promise<Order>;
}

export type OrderQuery = Omit<Page, 'ids'> & { keyId: string; status?: OrderStatus | undefined };
export type NewOrderRecord = { keyId: string; petId: number; createdAt: number };

/** Milliseconds after which a placed order expires. */
export const orderLifetime = limits.orderSeconds * 1_000;

const columns = 'id, pet_id, status, created_at';

function toOrder(row: Row): Order {
  const status = enumerations.OrderStatus.find((known) => known === row[2]) ?? unexpected('a status of an order');
  const placedAt = integer(row[3]);
  const createdAt = new Date(placedAt).toISOString();
  const expiresAt = new Date(placedAt + orderLifetime).toISOString();
  return { id: integer(row[0]), petId: integer(row[1]), status, createdAt, expiresAt };
}

export function orders(dialect: Dialect) {
  const find = `SELECT ${columns} FROM orders WHERE id = $1 AND key_id = $2`;
  const sql = statements('orders', {
    hasPlacedOrder: "SELECT 1 FROM orders WHERE pet_id = $1 AND status = 'placed'",
    listPetsOfOldOrders:
      "SELECT pet_id FROM orders WHERE status = 'placed' AND created_at <= $1 ORDER BY created_at LIMIT $2",
    // The caller has locked the pet, and a transaction that ends an order locks the order first: waiting for it would be a deadlock.
    expireOrderOf: `UPDATE orders SET status = 'expired' WHERE created_at <= $2 AND id = (
      SELECT id FROM orders WHERE pet_id = $1 AND status = 'placed' ${dialect.lockUnlessLocked})`,
    find,
    lock: `${find} ${dialect.lock}`,
    add: `INSERT INTO orders (key_id, pet_id, status, created_at)
      SELECT $1, id, 'placed', $3 FROM pets WHERE id = $2 RETURNING ${columns}`,
    setStatus: `UPDATE orders SET status = $1 WHERE id = $2 RETURNING ${columns}`,
  });

  const reader = (send: Send): OrderReader => {
    const pages = pagesIn(dialect, send, ['orders', columns]);
    return {
      listOrders: async ({ keyId, status, ...page }) => (await pages({ key_id: keyId, status }, page)).map(toOrder),
      findOrder: async (keyId, id) => (await send(sql.find, [id, keyId])).rows.map(toOrder)[0],
      listPetsOfOldOrders: async (placedBefore, limit) =>
        (await send(sql.listPetsOfOldOrders, [placedBefore, limit])).rows.map((row) => integer(row[0])),
    };
  };

  const writer = (send: Send): OrderWriter => ({
    ...reader(send),
    findOrder: async (keyId, id) => (await send(sql.lock, [id, keyId])).rows.map(toOrder)[0],
    hasPlacedOrder: async (petId) => (await send(sql.hasPlacedOrder, [petId])).count > 0,
    expireOrderOf: async (petId, placedBefore) => (await send(sql.expireOrderOf, [petId, placedBefore])).count > 0,
    addOrder: async ({ keyId, petId, createdAt }) =>
      (await send(sql.add, [keyId, petId, createdAt])).rows.map(toOrder)[0] ?? unexpected('the pet of a new order'),
    setOrderStatus: async (id, status) =>
      (await send(sql.setStatus, [status, id])).rows.map(toOrder)[0] ?? unexpected('an order'),
  });

  return { sql, reader, writer };
}
