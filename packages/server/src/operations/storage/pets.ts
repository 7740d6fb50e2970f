import { enumerations, type NewPet, type Pet, type PetStatus } from '@animal-store/contract';
import {
  integer,
  type Row,
  type Send,
  type Statement,
  statements,
  text,
  unexpected,
} from '@contract-first/service/storage';
import DataLoader from 'dataloader';
import { type Dialect, type Page, pagesIn } from './dialect.ts';

export interface PetReader {
  /** At most `limit` pets by ascending ID, after the pet `after`, that match all of the given filters. */
  listPets(query: PetQuery): Promise<Pet[]>;
  findPet(id: number): Promise<Pet | undefined>;
}

export interface PetWriter extends PetReader {
  /** Adds a pet with an ID that is higher than the IDs of all earlier pets, including deleted ones. An omitted status stays absent. */
  addPet(pet: NewPet): Promise<Pet>;
  /** Replaces all properties of an existing pet. */
  replacePet(pet: Pet): Promise<void>;
  /** Changes the status of a pet that exists. */
  setPetStatus(id: number, status: PetStatus): Promise<void>;
  /** Deletes a pet. Its orders remain, so find the pet and check `hasPlacedOrder` first, in the same transaction. */
  deletePet(id: number): Promise<void>;
}

export type PetQuery = Page & { categoryId?: number | undefined; status?: PetStatus | undefined };

const columns = 'id, name, category_id, status';

function toPet(row: Row): Pet {
  const id = integer(row[0]);
  const name = text(row[1]);
  const categoryId = integer(row[2]);
  if (row[3] === null) return { id, name, categoryId };
  const status = enumerations.PetStatus.find((known) => known === row[3]) ?? unexpected('a status');
  return { id, name, categoryId, status };
}

export function pets(dialect: Dialect) {
  const sql = statements('pets', {
    find: `SELECT ${columns} FROM pets WHERE id = $1`,
    findAll: `SELECT ${columns} FROM pets WHERE ${dialect.isIn('id', '$1')}`,
    lock: `SELECT ${columns} FROM pets WHERE id = $1 ${dialect.lock}`,
    add: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${columns}`,
    replace: 'UPDATE pets SET name = $1, category_id = $2, status = $3 WHERE id = $4',
    setStatus: 'UPDATE pets SET status = $1 WHERE id = $2',
    delete: 'DELETE FROM pets WHERE id = $1',
  });

  const findBy =
    (send: Send, statement: Statement): PetReader['findPet'] =>
    async (id) =>
      (await send(statement, [id])).rows.map(toPet)[0];

  const reader = (send: Send, findPet = dialect.isRemote ? findTogether(send) : findBy(send, sql.find)): PetReader => {
    const pages = pagesIn(dialect, send, ['pets', columns]);
    return {
      listPets: async ({ categoryId, status, ...page }) =>
        (await pages({ category_id: categoryId, status }, page)).map(toPet),
      findPet,
    };
  };

  /**
   * Up to 16 pets that callers ask for in one turn of the event loop share a statement: a GET takes 33 µs of processor time instead of 50.
   * With more, the server would wait while PostgreSQL works.
   */
  function findTogether(send: Send): PetReader['findPet'] {
    const loader = new DataLoader<number, Pet | undefined>(
      async (ids) => {
        const { rows } = await send(sql.findAll, [ids]);
        const found = new Map(rows.map(toPet).map((pet) => [pet.id, pet]));
        return ids.map((id) => found.get(id));
      },
      { cache: false, maxBatchSize: 16, batchScheduleFn: setImmediate },
    );
    return (id) => loader.load(id);
  }

  const writer = (send: Send): PetWriter => ({
    ...reader(send, findBy(send, sql.lock)),
    addPet: async ({ name, categoryId, status = null }: Omit<NewPet, 'status'> & { status?: PetStatus | null }) =>
      (await send(sql.add, [name, categoryId, status])).rows.map(toPet)[0] ?? unexpected('a new pet'),
    async replacePet({ id, name, categoryId, status }) {
      await send(sql.replace, [name, categoryId, status ?? null, id]);
    },
    async setPetStatus(id, status) {
      await send(sql.setStatus, [status, id]);
    },
    async deletePet(id) {
      await send(sql.delete, [id]);
    },
  });

  return { sql, reader, writer };
}
