/** Converts rows to pets and orders, for both engines. The columns are in the order that the functions expect. */
import { enumerations, limits, type Order, type Pet } from '@animal-store/contract';
import { integer, type Row, text, unexpected } from '@contract-first/service/storage';

export const petColumns = 'id, name, category_id, status';

export function toPet(row: Row): Pet {
  const id = integer(row[0]);
  const name = text(row[1]);
  const categoryId = integer(row[2]);
  if (row[3] === null) return { id, name, categoryId };
  const status = enumerations.PetStatus.find((known) => known === row[3]) ?? unexpected('a status');
  return { id, name, categoryId, status };
}

/** Milliseconds after which a placed order expires. */
export const orderLifetime = limits.orderSeconds * 1_000;

export const orderColumns = 'id, pet_id, status, created_at';

export function toOrder(row: Row): Order {
  const status = enumerations.OrderStatus.find((known) => known === row[2]) ?? unexpected('a status of an order');
  const placedAt = integer(row[3]);
  const createdAt = new Date(placedAt).toISOString();
  const expiresAt = new Date(placedAt + orderLifetime).toISOString();
  return { id: integer(row[0]), petId: integer(row[1]), status, createdAt, expiresAt };
}

export function toPetId(row: Row): number {
  return integer(row[0]);
}
