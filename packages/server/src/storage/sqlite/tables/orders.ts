import type { DatabaseSync } from 'node:sqlite';
import type { Order, OrderStatus } from '@animal-store/contract';
import { orderColumns, toOrder } from '../../rows/orders.ts';
import type { NewOrderRecord, OrderQuery } from '../../storage.ts';
import { unexpected } from '../../values.ts';

export const orderSql = {
  list: `SELECT ${orderColumns} FROM orders WHERE key_id = ? AND id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${orderColumns} FROM orders WHERE key_id = ? AND status = ? AND id > ? ORDER BY id LIMIT ?`,
  find: `SELECT ${orderColumns} FROM orders WHERE id = ? AND key_id = ?`,
  add: `INSERT INTO orders (key_id, pet_id, status, created_at) VALUES (?, ?, 'placed', ?) RETURNING ${orderColumns}`,
  setStatus: `UPDATE orders SET status = ? WHERE id = ? RETURNING ${orderColumns}`,
};

export type OrderTable = ReturnType<typeof orderTable>;

/** The table of orders, on one connection. */
export function orderTable(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql, { returnArrays: true });
  const statements = {
    list: prepare(orderSql.list),
    listByStatus: prepare(orderSql.listByStatus),
    find: prepare(orderSql.find),
    add: prepare(orderSql.add),
    setStatus: prepare(orderSql.setStatus),
  };
  return {
    list({ keyId, limit, status, after = 0 }: OrderQuery): Order[] {
      const rows =
        status === undefined
          ? statements.list.all(keyId, after, limit)
          : statements.listByStatus.all(keyId, status, after, limit);
      return rows.map(toOrder);
    },
    find(keyId: string, id: number): Order | undefined {
      const row = statements.find.get(id, keyId);
      return row && toOrder(row);
    },
    add({ keyId, petId, createdAt }: NewOrderRecord): Order {
      const row = statements.add.get(keyId, petId, createdAt);
      return row === undefined ? unexpected('a new order') : toOrder(row);
    },
    setStatus(id: number, status: OrderStatus): Order {
      const row = statements.setStatus.get(status, id);
      return row === undefined ? unexpected('an order') : toOrder(row);
    },
  };
}
