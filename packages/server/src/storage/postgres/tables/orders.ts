import type { Order, OrderStatus } from '@animal-store/contract';
import { orderColumns, toOrder } from '../../rows/orders.ts';
import type { NewOrderRecord, OrderQuery } from '../../storage.ts';
import { unexpected } from '../../values.ts';
import { type Send, statements } from '../connection/statement.ts';

const find = `SELECT ${orderColumns} FROM orders WHERE id = $1 AND key_id = $2`;

export const orderSql = statements('orders', {
  list: `SELECT ${orderColumns} FROM orders WHERE key_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
  listByStatus: `SELECT ${orderColumns} FROM orders WHERE key_id = $1 AND status = $2 AND id > $3 ORDER BY id LIMIT $4`,
  find,
  findAndLock: `${find} FOR NO KEY UPDATE`,
  add: `INSERT INTO orders (key_id, pet_id, status, created_at) VALUES ($1, $2, 'placed', $3) RETURNING ${orderColumns}`,
  setStatus: `UPDATE orders SET status = $1 WHERE id = $2 RETURNING ${orderColumns}`,
});

/** The table of orders. */
export function orderTable(send: Send) {
  const one = async (...question: Parameters<Send>): Promise<Order | undefined> => {
    const [row] = (await send(...question)).rows;
    return row && toOrder(row);
  };
  return {
    async list({ keyId, limit, status, after = 0 }: OrderQuery): Promise<Order[]> {
      const { rows } =
        status === undefined
          ? await send(orderSql.list, [keyId, after, limit])
          : await send(orderSql.listByStatus, [keyId, status, after, limit]);
      return rows.map(toOrder);
    },
    find: (keyId: string, id: number) => one(orderSql.find, [id, keyId]),
    /** Until the transaction ends, nobody else changes the order or finds it this way. */
    findAndLock: (keyId: string, id: number) => one(orderSql.findAndLock, [id, keyId]),
    async add({ keyId, petId, createdAt }: NewOrderRecord): Promise<Order> {
      return (await one(orderSql.add, [keyId, petId, createdAt])) ?? unexpected('a new order');
    },
    async setStatus(id: number, status: OrderStatus): Promise<Order> {
      return (await one(orderSql.setStatus, [status, id])) ?? unexpected('an order');
    },
  };
}
