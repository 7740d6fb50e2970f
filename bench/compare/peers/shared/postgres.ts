import pg from 'pg';
import { type Database, sql, toKey, toPet } from './database.ts';

/** The default of the driver. */
const POOL_SIZE = 10;

/** PostgreSQL as the documentation of its driver shows: a pool, and statements that each connection prepares once, by name. */
export function openPostgres(url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: POOL_SIZE });
  const query = async (name: keyof typeof sql, values: unknown[]): Promise<unknown[][]> => {
    const { rows } = await pool.query<unknown[]>({ name, text: texts[name], values, rowMode: 'array' });
    return rows;
  };

  return {
    async list({ limit, status, after }) {
      const isFiltered = status !== undefined;
      const rows = await (isFiltered ? query('listByStatus', [status, after, limit]) : query('list', [after, limit]));
      return rows.map(toPet);
    },
    async find(id) {
      const [row] = await query('find', [id]);
      return row && toPet(row);
    },
    async add({ name, categoryId, status }) {
      const [row = []] = await query('add', [name, categoryId, status]);
      return toPet(row);
    },
    async findKey(hash) {
      const [row] = await query('findKey', [hash]);
      return row && toKey(row);
    },
    close: () => void pool.end(),
  };
}

/** The statements with the numbered placeholders of PostgreSQL. */
const texts = {
  list: numbered(sql.list),
  listByStatus: numbered(sql.listByStatus),
  find: numbered(sql.find),
  add: numbered(sql.add),
  findKey: numbered(sql.findKey),
};

function numbered(text: string): string {
  let count = 0;
  return text.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}
