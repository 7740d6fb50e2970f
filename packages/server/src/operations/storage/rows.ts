/** Converts rows to pets and orders, for both engines. The columns are in the order that the functions expect. */
import { enumerations, type Order, type OrderStatus, type Pet, type PetStatus } from '@animal-store/contract';
import { integer, type Row, text, unexpected } from '../../storage/rows.ts';

export const petColumns = 'id, name, category_id, status';

export function toPet(row: Row): Pet {
  const id = integer(row[0]);
  const name = text(row[1]);
  const categoryId = integer(row[2]);
  const status = row[3];
  if (status === null) return { id, name, categoryId };
  return isPetStatus(status) ? { id, name, categoryId, status } : unexpected('a status');
}

export const orderColumns = 'id, pet_id, status, created_at';

export function toOrder(row: Row): Order {
  const status = row[2];
  if (!isOrderStatus(status)) return unexpected('a status of an order');
  return {
    id: integer(row[0]),
    petId: integer(row[1]),
    status,
    createdAt: new Date(integer(row[3])).toISOString(),
  };
}

function isPetStatus(value: unknown): value is PetStatus {
  return isOneOf(enumerations.PetStatus, value);
}

function isOrderStatus(value: unknown): value is OrderStatus {
  return isOneOf(enumerations.OrderStatus, value);
}

function isOneOf(values: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && values.includes(value);
}
