import type { Pet } from '@animal-store/contract';
import { isPetStatus } from '../guards.ts';
import { integer, type Row, text, unexpected } from '../values.ts';

/** What is read, in the order that the function below expects. */
export const petColumns = 'id, name, category_id, status';

export function toPet(row: Row): Pet {
  const id = integer(row[0]);
  const name = text(row[1]);
  const categoryId = integer(row[2]);
  const status = row[3];
  if (status === null) return { id, name, categoryId };
  return isPetStatus(status) ? { id, name, categoryId, status } : unexpected('a status');
}
