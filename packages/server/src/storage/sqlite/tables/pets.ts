import type { DatabaseSync } from 'node:sqlite';
import type { NewPet, Pet, PetStatus } from '@animal-store/contract';
import { isPetStatus } from '../../guards.ts';
import type { PetQuery } from '../../storage.ts';
import { integer, type Row, text, unexpected } from './values.ts';

const columns = 'id, name, category_id, status';

export const petSql = {
  list: `SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`,
  listByStatus: `SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`,
  find: `SELECT ${columns} FROM pets WHERE id = ?`,
  setStatus: 'UPDATE pets SET status = ? WHERE id = ?',
  add: `INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${columns}`,
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
      const row = statements.add.get(name, categoryId, status ?? null);
      return row === undefined ? unexpected('a new animal') : toPet(row);
    },
  };
}

function toPet(row: Row): Pet {
  const id = integer(row[0]);
  const name = text(row[1]);
  const categoryId = integer(row[2]);
  const status = row[3];
  if (status === null) return { id, name, categoryId };
  return isPetStatus(status) ? { id, name, categoryId, status } : unexpected('a status');
}
