import type { DatabaseSync } from 'node:sqlite';
import { unexpected } from '../../storage/rows.ts';
import type { Run } from '../../storage/store-definition.ts';
import { orderColumns, petColumns, toOrder, toPet } from './rows.ts';
import type { Reader, Writer } from './store.ts';

export const sql = {
  listPets: `SELECT ${petColumns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listPetsByStatus: `SELECT ${petColumns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  findPet: `SELECT ${petColumns} FROM pets WHERE id = ?`,
  addPet: 'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)',
  setPetStatus: 'UPDATE pets SET status = ? WHERE id = ?',
  listOrders: `SELECT ${orderColumns} FROM orders WHERE key_id = ? AND id > ? ORDER BY id LIMIT ?`,
  listOrdersByStatus: `SELECT ${orderColumns} FROM orders WHERE key_id = ? AND status = ? AND id > ? ORDER BY id LIMIT ?`,
  findOrder: `SELECT ${orderColumns} FROM orders WHERE id = ? AND key_id = ?`,
  addOrder: `INSERT INTO orders (key_id, pet_id, status, created_at) VALUES (?, ?, 'placed', ?)
    RETURNING ${orderColumns}`,
  setOrderStatus: `UPDATE orders SET status = ? WHERE id = ? RETURNING ${orderColumns}`,
};

/** Prepares the statements on a connection. */
export function prepareStore(database: DatabaseSync) {
  const prepare = (text: string) => database.prepare(text, { returnArrays: true });
  const listPets = prepare(sql.listPets);
  const listPetsByStatus = prepare(sql.listPetsByStatus);
  const findPet = prepare(sql.findPet);
  const addPet = prepare(sql.addPet);
  const setPetStatus = prepare(sql.setPetStatus);
  const listOrders = prepare(sql.listOrders);
  const listOrdersByStatus = prepare(sql.listOrdersByStatus);
  const findOrder = prepare(sql.findOrder);
  const addOrder = prepare(sql.addOrder);
  const setOrderStatus = prepare(sql.setOrderStatus);

  const reader = (run: Run): Reader => ({
    listPets: ({ limit, status, after = 0 }) =>
      run(() => {
        const rows = status === undefined ? listPets.all(after, limit) : listPetsByStatus.all(status, after, limit);
        return rows.map(toPet);
      }),
    findPet: (id) =>
      run(() => {
        const row = findPet.get(id);
        return row && toPet(row);
      }),
    listOrders: ({ keyId, limit, status, after = 0 }) =>
      run(() => {
        const rows =
          status === undefined
            ? listOrders.all(keyId, after, limit)
            : listOrdersByStatus.all(keyId, status, after, limit);
        return rows.map(toOrder);
      }),
    findOrder: (keyId, id) =>
      run(() => {
        const row = findOrder.get(id, keyId);
        return row && toOrder(row);
      }),
  });

  const writer = (run: Run): Writer => ({
    ...reader(run),
    addPet: ({ name, categoryId, status = null }) =>
      run(() => {
        // RETURNING would take three times as long, and is not needed: the strict table stores the values unchanged.
        const { lastInsertRowid } = addPet.run(name, categoryId, status);
        return toPet([lastInsertRowid, name, categoryId, status]);
      }),
    setPetStatus: (id, status) => run(() => void setPetStatus.run(status, id)),
    addOrder: ({ keyId, petId, createdAt }) =>
      run(() => toOrder(addOrder.get(keyId, petId, createdAt) ?? unexpected('a new order'))),
    setOrderStatus: (id, status) => run(() => toOrder(setOrderStatus.get(status, id) ?? unexpected('an order'))),
  });

  return { reader, writer };
}
