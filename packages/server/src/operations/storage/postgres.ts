import type { Order, Pet } from '@animal-store/contract';
import { unexpected } from '../../storage/rows.ts';
import { type Send, type Statement, statements } from '../../storage/store-definition.ts';
import { orderColumns, petColumns, toOrder, toPet, toPetId } from './rows.ts';
import type { OrderQuery, PetQuery, Reader, Writer } from './store.ts';

const findPet = `SELECT ${petColumns} FROM pets WHERE id = $1`;
const findOrder = `SELECT ${orderColumns} FROM orders WHERE id = $1 AND key_id = $2`;

const petSql = statements('pets', {
  findPet,
  // Weaker than FOR UPDATE, because the ID never changes.
  lockPet: `${findPet} FOR NO KEY UPDATE`,
  addPet: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${petColumns}`,
  replacePet: 'UPDATE pets SET name = $1, category_id = $2, status = $3 WHERE id = $4',
  setPetStatus: 'UPDATE pets SET status = $1 WHERE id = $2',
  deletePet: 'DELETE FROM pets WHERE id = $1',
});

const orderSql = statements('orders', {
  hasPlacedOrder: "SELECT 1 FROM orders WHERE pet_id = $1 AND status = 'placed'",
  listPetsOfOldOrders:
    "SELECT pet_id FROM orders WHERE status = 'placed' AND created_at <= $1 ORDER BY created_at LIMIT $2",
  // The caller has locked the pet, and a transaction that ends an order locks the order first: waiting for it would be a deadlock.
  expireOrderOf: `UPDATE orders SET status = 'expired' WHERE created_at <= $2 AND id = (
    SELECT id FROM orders WHERE pet_id = $1 AND status = 'placed' FOR NO KEY UPDATE SKIP LOCKED)`,
  findOrder,
  lockOrder: `${findOrder} FOR NO KEY UPDATE`,
  addOrder: `INSERT INTO orders (key_id, pet_id, status, created_at)
    SELECT $1, id, 'placed', $3 FROM pets WHERE id = $2 RETURNING ${orderColumns}`,
  setOrderStatus: `UPDATE orders SET status = $1 WHERE id = $2 RETURNING ${orderColumns}`,
});

export const sql = { ...petSql, ...orderSql };
const resetSql = statements('store', { reset: 'TRUNCATE pets, orders RESTART IDENTITY' });

type Query = { statement: Statement; values: unknown[] };

export function listPets({ ids, categoryId, status, after = 0, limit }: PetQuery): Query {
  return select('pets', petColumns, limit, [
    ['ids', 'id = ANY (?)', ids],
    ['categoryId', 'category_id = ?', categoryId],
    ['status', 'status = ?', status],
    ['after', 'id > ?', after],
  ]);
}

export function listOrders({ keyId, status, after = 0, limit }: OrderQuery): Query {
  return select('orders', orderColumns, limit, [
    ['keyId', 'key_id = ?', keyId],
    ['status', 'status = ?', status],
    ['after', 'id > ?', after],
  ]);
}

type Filter = [name: string, condition: string, value: unknown];

/** A page by ascending ID. Filters without a value are left out; each combination is a separate statement. */
function select(table: string, columns: string, limit: number, filters: Filter[]): Query {
  const given = filters.filter(([, , value]) => value !== undefined);
  const name = [table, 'list', ...given.map(([filter]) => filter)].join('.');
  const where = given.map(([, condition], index) => condition.replace('?', `$${index + 1}`)).join(' AND ');
  const text = `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY id LIMIT $${given.length + 1}`;
  return { statement: { name, text }, values: [...given.map(([, , value]) => value), limit] };
}

/** Reads outside transactions, without locks. */
export function reader(send: Send): Reader {
  return {
    async listPets(query) {
      const { statement, values } = listPets(query);
      return (await send(statement, values)).rows.map(toPet);
    },
    findPet: (id) => onePet(send, sql.findPet, [id]),
    async listOrders(query) {
      const { statement, values } = listOrders(query);
      return (await send(statement, values)).rows.map(toOrder);
    },
    findOrder: (keyId, id) => oneOrder(send, sql.findOrder, [id, keyId]),
    listPetsOfOldOrders: async (placedBefore, limit) =>
      (await send(sql.listPetsOfOldOrders, [placedBefore, limit])).rows.map(toPetId),
  };
}

/** Reads and writes inside a transaction. Locks the rows that it finds by ID until the transaction ends. */
export function writer(send: Send): Writer {
  return {
    ...reader(send),
    findPet: (id) => onePet(send, sql.lockPet, [id]),
    findOrder: (keyId, id) => oneOrder(send, sql.lockOrder, [id, keyId]),
    addPet: async ({ name, categoryId, status = null }) =>
      (await onePet(send, sql.addPet, [name, categoryId, status])) ?? unexpected('a new pet'),
    async replacePet({ id, name, categoryId, status = null }) {
      await send(sql.replacePet, [name, categoryId, status, id]);
    },
    async setPetStatus(id, status) {
      await send(sql.setPetStatus, [status, id]);
    },
    async deletePet(id) {
      await send(sql.deletePet, [id]);
    },
    hasPlacedOrder: async (petId) => (await send(sql.hasPlacedOrder, [petId])).count > 0,
    expireOrderOf: async (petId, placedBefore) => (await send(sql.expireOrderOf, [petId, placedBefore])).count > 0,
    addOrder: async ({ keyId, petId, createdAt }) =>
      (await oneOrder(send, sql.addOrder, [keyId, petId, createdAt])) ?? unexpected('the pet of a new order'),
    async reset() {
      await send(resetSql.reset);
    },
    setOrderStatus: async (id, status) =>
      (await oneOrder(send, sql.setOrderStatus, [status, id])) ?? unexpected('an order'),
  };
}

async function onePet(...[send, ...query]: [Send, ...Parameters<Send>]): Promise<Pet | undefined> {
  const [row] = (await send(...query)).rows;
  return row && toPet(row);
}

async function oneOrder(...[send, ...query]: [Send, ...Parameters<Send>]): Promise<Order | undefined> {
  const [row] = (await send(...query)).rows;
  return row && toOrder(row);
}
