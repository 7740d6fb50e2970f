/**
 * Fastify on SQLite as its documentation shows, with all the work of our server: Ajv validates the requests with the schemas of the
 * contract, fast-json-stringify writes the responses, and an onRequest hook checks the key and its quota before the body is read.
 * Quotas and bans are counted by the function of our server, in memory.
 */
import { hash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { banRules, basePath, limits, type NewPet, operations } from '@animal-store/contract';
import fastify, { type FastifyReply } from 'fastify';
import { countRequest, type Usage, usageFor } from '../../packages/service/src/rate-limit/count-request.ts';
import { cursorAfter, keepAliveTimeout, type ListQuery, listen, readCursor, schemas, toPet } from './shared.ts';

/** Times are Unix milliseconds. */
type Key = { id: string; perMinute: number; perDay: number; expiresAt: number; readAt: number };

/** Our server checks a key again after 5 s. */
const KEY_TTL_MS = 5_000;

// The settings of our server. All queries are synchronous, so one connection is enough.
const path = String(process.env['DATABASE_URL']).slice('sqlite:'.length);
const database = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: 5_000 });
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000');

const prepare = (text: string) => database.prepare(text, { returnArrays: true });
const columns = 'id, name, category_id, status';
const list = prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`);
const listByStatus = prepare(`SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`);
const find = prepare(`SELECT ${columns} FROM pets WHERE id = ?`);
const add = prepare(`INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING ${columns}`);
const findKey = prepare(`SELECT keys.id, per_minute, per_day,
    min(ifnull(keys.expires_at, 9e15), ifnull(secrets.expires_at, 9e15))
  FROM secrets JOIN keys ON keys.id = secrets.key_id WHERE secrets.hash = ? AND keys.revoked_at IS NULL`);

const keys = new Map<string, Key>();
const usages = new Map<string, Usage>();
const app = fastify({
  logger: false,
  keepAliveTimeout,
  bodyLimit: limits.bodyBytes,
  // Our server rejects unknown properties, so Fastify must not remove them silently.
  ajv: { customOptions: { removeAdditional: false } },
});

const commonHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': '*',
};
const validRequestId = /^[A-Za-z0-9._-]{1,128}$/;

app.addHook('onRequest', ({ headers }, reply, done) => {
  const sent = headers['x-request-id'];
  reply.headers(commonHeaders);
  reply.header('X-Request-Id', typeof sent === 'string' && validRequestId.test(sent) ? sent : randomUUID());
  const now = Date.now();
  const { authorization } = headers;
  if (authorization === undefined) return refuse(reply, 401, 'The API key is missing.');
  const key = authenticate(authorization, now);
  if (key === undefined) return refuse(reply, 401, 'The API key is not valid.');
  const verdict = countRequest(usageFor(usages, key.id, now), key, now, banRules);
  reply.header('X-RateLimit-Limit', String(verdict.limit));
  reply.header('X-RateLimit-Remaining', String(verdict.remaining));
  reply.header('X-RateLimit-Reset', String(verdict.reset));
  if (verdict.outcome === 'allowed') return done();
  reply.header('Retry-After', String(verdict.retryAfter));
  refuse(reply, 429, `The key is ${verdict.outcome}.`);
});

/** Finds the key of a request. Keys are remembered by the hash of their secret. */
function authenticate(authorization: string, now: number): Key | undefined {
  const digest = hash('sha256', authorization.slice('Bearer '.length), 'base64');
  let key = keys.get(digest);
  if (key === undefined || now - key.readAt >= KEY_TTL_MS) {
    const row: Record<number, unknown> | undefined = findKey.get(Buffer.from(digest, 'base64'));
    if (row === undefined) return undefined;
    const [perMinute, perDay, expiresAt] = [Number(row[1]), Number(row[2]), Number(row[3])];
    key = { id: String(row[0]), perMinute, perDay, expiresAt, readAt: now };
    keys.set(digest, key);
  }
  return key.expiresAt > now ? key : undefined;
}

// As in @fastify/etag, which cannot include another header.
app.addHook('onSend', (_request, reply, payload, done) => {
  const { statusCode } = reply;
  if (statusCode < 300) {
    const link = reply.getHeader('Link');
    reply.header('ETag', `"${hash('sha1', `${payload}${typeof link === 'string' ? link : ''}`, 'base64url')}"`);
  }
  if (statusCode === 200) reply.headers({ 'Cache-Control': 'private, no-cache', Vary: 'Authorization' });
  done();
});

app.get<{ Querystring: ListQuery }>(
  '/v1/pets',
  { schema: { querystring: schemas.listQuery, response: { 200: schemas.pets } } },
  ({ query: { limit, status, cursor }, headers }, reply) => {
    const after = cursor === undefined ? 0 : readCursor(cursor);
    if (after === undefined) return refuse(reply, 400, 'The cursor is not valid.');
    const rows = status === undefined ? list.all(after, limit + 1) : listByStatus.all(status, after, limit + 1);
    const pets = rows.slice(0, limit).map(toPet);
    if (rows.length > limit) {
      const filter = status === undefined ? '' : `&status=${status}`;
      const next = `${basePath}/pets?limit=${limit}${filter}&cursor=${cursorAfter(pets.at(-1)?.id ?? 0)}`;
      reply.header('Link', `<${originOf(headers)}${next}>; rel="next"`);
    }
    reply.send(pets);
  },
);

const { since, sunset, successor, documentation } = operations.getPet.deprecation;
const deprecationHeaders = {
  Deprecation: `@${Date.parse(since) / 1_000}`,
  Sunset: new Date(sunset).toUTCString(),
};

app.get<{ Params: { petId: number } }>(
  '/v1/pets/:petId',
  { schema: { params: schemas.petPath, response: { 200: schemas.pet } } },
  ({ params, headers }, reply) => {
    const origin = originOf(headers);
    reply.headers(deprecationHeaders);
    reply.header('Link', [
      `<${origin}${documentation}>; rel="deprecation"; type="text/html"`,
      `<${origin}${basePath}${operations[successor].path}>; rel="successor-version"`,
    ]);
    const row = find.get(params.petId);
    if (row === undefined) refuse(reply, 404, 'Not found.');
    else reply.send(toPet(row));
  },
);

app.post<{ Body: NewPet }>(
  '/v1/pets',
  { schema: { body: schemas.newPet, response: { 201: schemas.pet } } },
  ({ body: { name, categoryId, status }, headers }, reply) => {
    const pet = toPet(add.get(name, categoryId, status ?? null) ?? {});
    const location = `${originOf(headers)}${basePath}/pets/${pet.id}`;
    reply.code(201).header('Location', location).send(pet);
  },
);

function originOf({ host = '' }: IncomingHttpHeaders): string {
  return `http://${host}`;
}

function refuse(reply: FastifyReply, status: number, message: string): void {
  reply.code(status).send({ message });
}

await listen(app);
