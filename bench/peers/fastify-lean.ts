/**
 * Fastify on PostgreSQL with the least work that an API with keys can do: one SHA-256 hash and one lookup of the key per request, three
 * rate-limit headers, and schemas for input and output. `pg` is used as its documentation shows: a pool, and statements that each
 * connection prepares once, by name. It has no quotas or bans, no request IDs, no other headers, and error responses of Fastify's own.
 */
import { hash } from 'node:crypto';
import type { NewPet } from '@animal-store/contract';
import fastify, { type FastifyReply } from 'fastify';
import pg from 'pg';
import { keepAliveTimeout, type ListQuery, listen, type Row, readCursor, schemas, toPet } from './shared.ts';

/** The requests of a key in the current minute. */
type Usage = { perMinute: number; minute: number; used: number };

const columns = 'id, name, category_id, status';
const statements = {
  list: `SELECT ${columns} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`,
  listByStatus: `SELECT ${columns} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
  find: `SELECT ${columns} FROM pets WHERE id = $1`,
  add: `INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3) RETURNING ${columns}`,
  findKey: `SELECT keys.per_minute FROM secrets JOIN keys ON keys.id = secrets.key_id
    WHERE secrets.hash = $1 AND keys.revoked_at IS NULL`,
};

// Ten connections are the default of the driver.
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const usages = new Map<string, Usage>();
const app = fastify({ logger: false, keepAliveTimeout });

async function query(name: keyof typeof statements, values: unknown[]): Promise<Row[]> {
  const { rows } = await pool.query<unknown[]>({ name, text: statements[name], values, rowMode: 'array' });
  return rows;
}

app.addHook('onRequest', (request, reply, done) => {
  const digest = hash('sha256', (request.headers.authorization ?? '').slice('Bearer '.length), 'base64');
  const usage = usages.get(digest);
  if (usage === undefined) readUsage(digest).then((found) => count(found, reply, done), done);
  else count(usage, reply, done);
});

function count(usage: Usage | undefined, reply: FastifyReply, done: () => void): void {
  if (usage === undefined) return void reply.code(401).send({ message: 'The API key is missing or invalid.' });
  const minute = Math.floor(Date.now() / 60_000);
  if (usage.minute !== minute) Object.assign(usage, { minute, used: 0 });
  usage.used += 1;
  reply.header('X-RateLimit-Limit', String(usage.perMinute));
  reply.header('X-RateLimit-Remaining', String(Math.max(0, usage.perMinute - usage.used)));
  reply.header('X-RateLimit-Reset', String((minute + 1) * 60));
  done();
}

async function readUsage(digest: string): Promise<Usage | undefined> {
  const [row] = await query('findKey', [Buffer.from(digest, 'base64')]);
  if (row === undefined) return undefined;
  const usage = { perMinute: Number(row[0]), minute: 0, used: 0 };
  usages.set(digest, usage);
  return usage;
}

app.get<{ Querystring: ListQuery }>(
  '/v1/pets',
  { schema: { querystring: schemas.listQuery, response: { 200: schemas.pets } } },
  async ({ query: { limit, status, cursor } }, reply) => {
    const after = cursor === undefined ? 0 : readCursor(cursor);
    if (after === undefined) return reply.code(400).send({ message: 'The cursor is not valid.' });
    const isFiltered = status !== undefined;
    const rows = await (isFiltered ? query('listByStatus', [status, after, limit]) : query('list', [after, limit]));
    return rows.map(toPet);
  },
);

app.get<{ Params: { petId: number } }>(
  '/v1/pets/:petId',
  { schema: { params: schemas.petPath, response: { 200: schemas.pet } } },
  async ({ params }, reply) => {
    const [row] = await query('find', [params.petId]);
    return row === undefined ? reply.code(404).send({ message: 'Not found.' }) : toPet(row);
  },
);

app.post<{ Body: NewPet }>(
  '/v1/pets',
  { schema: { body: schemas.newPet, response: { 201: schemas.pet } } },
  async ({ body: { name, categoryId, status } }, reply) => {
    const [row = []] = await query('add', [name, categoryId, status]);
    return reply.code(201).send(toPet(row));
  },
);

await listen(app);
