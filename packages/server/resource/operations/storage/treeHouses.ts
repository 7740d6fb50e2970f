import type { NewTreeHouse, TreeHouse } from '@animal-store/contract';
import { integer, type Row, type Send, statements, text, unexpected } from '@contract-first/service/storage';
import { type Dialect, type Page, pagesIn } from './dialect.ts';

export interface TreeHouseReader {
  /** At most `limit` tree houses by ascending ID, after the ID `after`. */
  listTreeHouses(page: Page): Promise<TreeHouse[]>;
  findTreeHouse(id: number): Promise<TreeHouse | undefined>;
}

export interface TreeHouseWriter extends TreeHouseReader {
  addTreeHouse(treeHouse: NewTreeHouse): Promise<TreeHouse>;
  /** Replaces all properties of one that exists. */
  replaceTreeHouse(treeHouse: TreeHouse): Promise<void>;
  deleteTreeHouse(id: number): Promise<void>;
}

const columns = 'id, name';

function toTreeHouse(row: Row): TreeHouse {
  return { id: integer(row[0]), name: text(row[1]) };
}

export function treeHouses(dialect: Dialect) {
  const find = `SELECT ${columns} FROM tree_houses WHERE id = $1`;
  const sql = statements('tree_houses', {
    find,
    lock: `${find} ${dialect.lock}`,
    add: `INSERT INTO tree_houses (name) VALUES ($1) RETURNING ${columns}`,
    replace: 'UPDATE tree_houses SET name = $1 WHERE id = $2',
    delete: 'DELETE FROM tree_houses WHERE id = $1',
  });

  const reader = (send: Send): TreeHouseReader => {
    const pages = pagesIn(dialect, send, ['tree_houses', columns]);
    return {
      listTreeHouses: async (page) => (await pages({}, page)).map(toTreeHouse),
      findTreeHouse: async (id) => (await send(sql.find, [id])).rows.map(toTreeHouse)[0],
    };
  };

  const writer = (send: Send): TreeHouseWriter => ({
    ...reader(send),
    findTreeHouse: async (id) => (await send(sql.lock, [id])).rows.map(toTreeHouse)[0],
    addTreeHouse: async ({ name }) =>
      (await send(sql.add, [name])).rows.map(toTreeHouse)[0] ?? unexpected('a new tree house'),
    async replaceTreeHouse({ id, name }) {
      await send(sql.replace, [name, id]);
    },
    async deleteTreeHouse(id) {
      await send(sql.delete, [id]);
    },
  });

  return { sql, reader, writer };
}
