import type { DatabaseSync } from 'node:sqlite';
import type { NewPet, Pet, PetStatus } from '@animal-store/contract';
import { petColumns, toPet } from '../../rows/pets.ts';
import type { PetQuery } from '../../storage.ts';

export const petSql = {
  list: `SELECT ${petColumns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${petColumns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  find: `SELECT ${petColumns} FROM pets WHERE id = ?`,
  setStatus: 'UPDATE pets SET status = ? WHERE id = ?',
  add: `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)`,
};

export type PetTable = ReturnType<typeof petTable>;

/** The table of animals, on one connection. */
export function petTable(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql, { returnArrays: true });
  const statements = {
    list: prepare(petSql.list),
    listByStatus: prepare(petSql.listByStatus),
    find: prepare(petSql.find),
    setStatus: prepare(petSql.setStatus),
    add: prepare(petSql.add),
  };
  return {
    list({ limit, status, after = 0 }: PetQuery): Pet[] {
      const rows =
        status === undefined ? statements.list.all(after, limit) : statements.listByStatus.all(status, after, limit);
      return rows.map(toPet);
    },
    find(id: number): Pet | undefined {
      const row = statements.find.get(id);
      return row && toPet(row);
    },
    setStatus(id: number, status: PetStatus): void {
      statements.setStatus.run(status, id);
    },
    add({ name, categoryId, status }: NewPet): Pet {
      // The table is strict: what was given is what is kept. RETURNING would take three times as long to say so.
      const { lastInsertRowid } = statements.add.run(name, categoryId, status ?? null);
      return toPet([lastInsertRowid, name, categoryId, status ?? null]);
    },
  };
}
