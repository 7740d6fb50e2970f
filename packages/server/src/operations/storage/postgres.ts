import type { Order, Pet } from '@animal-store/contract';
import { unexpected } from '../../storage/rows.ts';
import { type Send, statements } from '../../storage/store-definition.ts';
import { orderColumns, petColumns, toOrder, toPet } from './rows.ts';
import type { Reader, Writer } from './store.ts';

const findPet = `SELECT ${petColumns} FROM pets WHERE id = $1`;
const findOrder = `SELECT ${orderColumns} FROM orders WHERE id = $1 AND key_id = $2`;

export const sql = statements('store', {
  listPets: `SELECT ${petColumns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
  listPetsByStatus: `SELECT ${petColumns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
  findPet,
  // Weaker than FOR UPDATE, because the id stays: an order that refers to the pet need not wait.
  lockPet: `${findPet} FOR NO KEY UPDATE`,
  addPet: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${petColumns}`,
  setPetStatus: 'UPDATE pets SET status = $1 WHERE id = $2',
  listOrders: `SELECT ${orderColumns} FROM orders WHERE key_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
  listOrdersByStatus: `SELECT ${orderColumns} FROM orders WHERE key_id = $1 AND status = $2 AND id > $3
    ORDER BY id LIMIT $4`,
  findOrder,
  lockOrder: `${findOrder} FOR NO KEY UPDATE`,
  addOrder: `INSERT INTO orders (key_id, pet_id, status, created_at) VALUES ($1, $2, 'placed', $3)
    RETURNING ${orderColumns}`,
  setOrderStatus: `UPDATE orders SET status = $1 WHERE id = $2 RETURNING ${orderColumns}`,
});

/** Reads outside transactions, without locks. */
export function reader(send: Send): Reader {
  return {
    async listPets({ limit, status, after = 0 }) {
      const { rows } =
        status === undefined
          ? await send(sql.listPets, [after, limit])
          : await send(sql.listPetsByStatus, [status, after, limit]);
      return rows.map(toPet);
    },
    findPet: (id) => onePet(send, sql.findPet, [id]),
    async listOrders({ keyId, limit, status, after = 0 }) {
      const { rows } =
        status === undefined
          ? await send(sql.listOrders, [keyId, after, limit])
          : await send(sql.listOrdersByStatus, [keyId, status, after, limit]);
      return rows.map(toOrder);
    },
    findOrder: (keyId, id) => oneOrder(send, sql.findOrder, [id, keyId]),
  };
}

/** Reads and writes inside a transaction. Locks the rows that it finds by id until the transaction ends. */
export function writer(send: Send): Writer {
  return {
    ...reader(send),
    findPet: (id) => onePet(send, sql.lockPet, [id]),
    findOrder: (keyId, id) => oneOrder(send, sql.lockOrder, [id, keyId]),
    addPet: async ({ name, categoryId, status = null }) =>
      (await onePet(send, sql.addPet, [name, categoryId, status])) ?? unexpected('a new pet'),
    async setPetStatus(id, status) {
      await send(sql.setPetStatus, [status, id]);
    },
    addOrder: async ({ keyId, petId, createdAt }) =>
      (await oneOrder(send, sql.addOrder, [keyId, petId, createdAt])) ?? unexpected('a new order'),
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
