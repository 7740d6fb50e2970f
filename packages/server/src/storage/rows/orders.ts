import type { Order } from '@animal-store/contract';
import { isOrderStatus } from '../guards.ts';
import { integer, type Row, unexpected } from '../values.ts';

/** What is read, in the order that the function below expects. */
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
