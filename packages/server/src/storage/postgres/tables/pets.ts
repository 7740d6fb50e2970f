import type { NewPet, Pet, PetStatus } from '@animal-store/contract';
import { petColumns, toPet } from '../../rows/pets.ts';
import type { PetQuery } from '../../storage.ts';
import { unexpected } from '../../values.ts';
import { type Send, statements } from '../connection/statement.ts';

const find = `SELECT ${petColumns} FROM pets WHERE id = $1`;

export const petSql = statements('pets', {
  list: `SELECT ${petColumns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
  listByStatus: `SELECT ${petColumns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
  find,
  // Weaker than FOR UPDATE: an order that refers to the animal need not wait, for the id stays.
  findAndLock: `${find} FOR NO KEY UPDATE`,
  setStatus: 'UPDATE pets SET status = $1 WHERE id = $2',
  add: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${petColumns}`,
});

/** The table of animals. */
export function petTable(send: Send) {
  const one = async (...question: Parameters<Send>): Promise<Pet | undefined> => {
    const [row] = (await send(...question)).rows;
    return row && toPet(row);
  };
  return {
    async list({ limit, status, after = 0 }: PetQuery): Promise<Pet[]> {
      const { rows } =
        status === undefined
          ? await send(petSql.list, [after, limit])
          : await send(petSql.listByStatus, [status, after, limit]);
      return rows.map(toPet);
    },
    find: (id: number) => one(petSql.find, [id]),
    /** Until the transaction ends, nobody else changes the animal or finds it this way. */
    findAndLock: (id: number) => one(petSql.findAndLock, [id]),
    async setStatus(id: number, status: PetStatus): Promise<void> {
      await send(petSql.setStatus, [status, id]);
    },
    async add({ name, categoryId, status }: NewPet): Promise<Pet> {
      return (await one(petSql.add, [name, categoryId, status ?? null])) ?? unexpected('a new animal');
    },
  };
}
