import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { prepareAll, type Run, unexpected } from '@contract-first/service/storage';
import { orderColumns, petColumns, toOrder, toPet, toPetId } from './rows.ts';
import type { OrderQuery, PetQuery, Reader, Writer } from './store.ts';

export const sql = {
  findPet: `SELECT ${petColumns} FROM pets WHERE id = ?`,
  addPet: 'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)',
  replacePet: 'UPDATE pets SET name = ?, category_id = ?, status = ? WHERE id = ?',
  setPetStatus: 'UPDATE pets SET status = ? WHERE id = ?',
  deletePet: 'DELETE FROM pets WHERE id = ?',
  hasPlacedOrder: "SELECT 1 FROM orders WHERE pet_id = ? AND status = 'placed'",
  listPetsOfOldOrders:
    "SELECT pet_id FROM orders WHERE status = 'placed' AND created_at <= ? ORDER BY created_at LIMIT ?",
  expireOrderOf: "UPDATE orders SET status = 'expired' WHERE pet_id = ? AND status = 'placed' AND created_at <= ?",
  findOrder: `SELECT ${orderColumns} FROM orders WHERE id = ? AND key_id = ?`,
  addOrder: `INSERT INTO orders (key_id, pet_id, status, created_at) SELECT ?, id, 'placed', ? FROM pets WHERE id = ?
    RETURNING ${orderColumns}`,
  setOrderStatus: `UPDATE orders SET status = ? WHERE id = ? RETURNING ${orderColumns}`,
};

type Value = string | number;
type Query = { text: string; values: Value[] };

export function listPets({ ids, categoryId, status, after = 0, limit }: PetQuery): Query {
  return select(`${petColumns} FROM pets`, limit, [
    ['id IN (SELECT value FROM json_each(?))', ids && JSON.stringify(ids)],
    ['category_id = ?', categoryId],
    ['status = ?', status],
    ['id > ?', after],
  ]);
}

export function listOrders({ keyId, status, after = 0, limit }: OrderQuery): Query {
  return select(`${orderColumns} FROM orders`, limit, [
    ['key_id = ?', keyId],
    ['status = ?', status],
    ['id > ?', after],
  ]);
}

/** A page by ascending ID. Conditions without a value are left out. */
function select(columns: string, limit: number, conditions: [condition: string, value: Value | undefined][]): Query {
  const given: string[] = [];
  const values: Value[] = [];
  for (const [condition, value] of conditions) {
    if (value === undefined) continue;
    given.push(condition);
    values.push(value);
  }
  return { text: `SELECT ${columns} WHERE ${given.join(' AND ')} ORDER BY id LIMIT ?`, values: [...values, limit] };
}

/** Prepares the statements on a connection. */
export function prepareStore(database: DatabaseSync) {
  const prepare = (text: string) => database.prepare(text, { returnArrays: true });
  const prepared = prepareAll(database, sql);

  // One statement for each combination of filters that was used.
  const pages = new Map<string, StatementSync>();
  function all({ text, values }: Query) {
    const page = pages.get(text) ?? prepare(text);
    pages.set(text, page);
    return page.all(...values);
  }

  const reader = (run: Run): Reader => ({
    listPets: (query) => run(() => all(listPets(query)).map(toPet)),
    findPet: (id) =>
      run(() => {
        const row = prepared.findPet.get(id);
        return row && toPet(row);
      }),
    listOrders: (query) => run(() => all(listOrders(query)).map(toOrder)),
    findOrder: (keyId, id) =>
      run(() => {
        const row = prepared.findOrder.get(id, keyId);
        return row && toOrder(row);
      }),
    listPetsOfOldOrders: (placedBefore, limit) =>
      run(() => prepared.listPetsOfOldOrders.all(placedBefore, limit).map(toPetId)),
  });

  const writer = (run: Run): Writer => ({
    ...reader(run),
    addPet: ({ name, categoryId, status = null }) =>
      run(() => {
        // RETURNING would take three times as long, and is not needed: the strict table stores the values unchanged.
        const { lastInsertRowid } = prepared.addPet.run(name, categoryId, status);
        return toPet([lastInsertRowid, name, categoryId, status]);
      }),
    replacePet: ({ id, name, categoryId, status = null }) =>
      run(() => void prepared.replacePet.run(name, categoryId, status, id)),
    setPetStatus: (id, status) => run(() => void prepared.setPetStatus.run(status, id)),
    deletePet: (id) => run(() => void prepared.deletePet.run(id)),
    hasPlacedOrder: (petId) => run(() => prepared.hasPlacedOrder.get(petId) !== undefined),
    expireOrderOf: (petId, placedBefore) => run(() => prepared.expireOrderOf.run(petId, placedBefore).changes > 0),
    addOrder: ({ keyId, petId, createdAt }) =>
      run(() => toOrder(prepared.addOrder.get(keyId, createdAt, petId) ?? unexpected('the pet of a new order'))),
    setOrderStatus: (id, status) =>
      run(() => toOrder(prepared.setOrderStatus.get(status, id) ?? unexpected('an order'))),
  });

  return { reader, writer };
}
