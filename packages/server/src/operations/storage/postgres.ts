import type { Order, Pet } from '@animal-store/contract';
import { type Send, type Statement, statements, unexpected } from '@contract-first/service/storage';
import DataLoader from 'dataloader';
import { orderColumns, petColumns, toOrder, toPet, toPetId } from './rows.ts';
import type { OrderQuery, PetQuery, Reader, Writer } from './store.ts';

const findPets = `SELECT ${petColumns} FROM pets WHERE id = ANY ($1)`;
const lockPet = `SELECT ${petColumns} FROM pets WHERE id = $1 FOR NO KEY UPDATE`;
const findOrder = `SELECT ${orderColumns} FROM orders WHERE id = $1 AND key_id = $2`;

const petSql = statements('pets', {
  findPets,
  // Weaker than FOR UPDATE, because the ID never changes.
  lockPet,
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

type Query = { statement: Statement; values: unknown[] };

export function listPets({ ids, categoryId, status, after = 0, limit }: PetQuery): Query {
  const filters: Filter[] = [
    ['category_id', categoryId],
    ['status', status],
  ];
  return select('pets', petColumns, filters, { ids, after, limit });
}

export function listOrders({ keyId, status, after = 0, limit }: OrderQuery): Query {
  const filters: Filter[] = [
    ['key_id', keyId],
    ['status', status],
  ];
  return select('orders', orderColumns, filters, { after, limit });
}

/** A column and the value that it must have; undefined for any. */
type Filter = [column: string, value: unknown];
type Page = { ids?: readonly number[] | undefined; after: number; limit: number };

/**
 * A page by ascending ID. Filters without a value are left out; each combination is a separate statement, and needs an index on its
 * columns and `id`, in the order of the filters.
 */
function select(table: string, columns: string, filters: Filter[], { ids, after, limit }: Page): Query {
  const given = filters.filter(([, value]) => value !== undefined);
  const names = given.map(([column]) => column);
  const values = [after + 1, limit, ...given.map(([, value]) => value)];
  const where = ids === undefined ? rangeOf(names) : names.map((name, index) => `${name} = $${index + 3}`);
  const order = ids === undefined ? [...names, 'id'] : ['id'];
  if (names.length === 0 || ids !== undefined) where.push('id >= $1');
  if (ids !== undefined) where.push(`id = ANY ($${values.push(ids)})`);
  const name = [table, 'list', ...(ids === undefined ? [] : ['ids']), ...names].join('.');
  const text = `SELECT ${columns} FROM ${table} WHERE ${where.join(' AND ')} ORDER BY ${order.join(', ')} LIMIT $2`;
  return { statement: { name, text }, values };
}

/**
 * The conditions for one range of the index on some columns and `id`, in whose order the page is read.
 *
 * PostgreSQL expects matching rows to be spread evenly over a table. With `status = $3 ORDER BY id`, it reads the table by ID and drops
 * what does not match: 1.6 million rows if those were sold first. Only the index of the filters has the order `status, id`, but
 * PostgreSQL ignores a column in an order if the conditions equate it with a value, so these say the same in another way. They use `>=`
 * because PostgreSQL estimates `(status, id) > ('sold', 1)` as `status > 'sold'`, which no row is.
 */
function rangeOf(names: readonly string[]): string[] {
  return names.map((name, index) => {
    const value = `$${index + 3}`;
    const isLast = index === names.length - 1;
    return isLast ? `(${name}, id) >= (${value}, $1) AND ${name} <= ${value}` : `${name} IN (${value}, ${value})`;
  });
}

/** Reads outside transactions, without locks. */
export function reader(send: Send): Reader {
  return {
    async listPets(query) {
      const { statement, values } = listPets(query);
      return (await send(statement, values)).rows.map(toPet);
    },
    findPet: petFinder(send),
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
    setOrderStatus: async (id, status) =>
      (await oneOrder(send, sql.setOrderStatus, [status, id])) ?? unexpected('an order'),
  };
}

/**
 * Finds pets by ID. Up to 16 that callers ask for in one turn of the event loop share a statement: a GET takes 33 µs of
 * processor time instead of 50. With more, the server would wait while PostgreSQL works.
 */
function petFinder(send: Send): Reader['findPet'] {
  const loader = new DataLoader<number, Pet | undefined>(
    async (ids) => {
      const { rows } = await send(sql.findPets, [ids]);
      const found = new Map(rows.map(toPet).map((pet) => [pet.id, pet]));
      return ids.map((id) => found.get(id));
    },
    { cache: false, maxBatchSize: 16, batchScheduleFn: setImmediate },
  );
  return (id) => loader.load(id);
}

async function onePet(...[send, ...query]: [Send, ...Parameters<Send>]): Promise<Pet | undefined> {
  const [row] = (await send(...query)).rows;
  return row && toPet(row);
}

async function oneOrder(...[send, ...query]: [Send, ...Parameters<Send>]): Promise<Order | undefined> {
  const [row] = (await send(...query)).rows;
  return row && toOrder(row);
}
