/**
 * Fastify with the least work that an API with keys can do, as the fastest peer: one SHA-256 hash and one lookup of the
 * key per request, three rate-limit headers, schemas for input and output, and the database settings of our server with one
 * commit per creation. It has no quotas or bans, no request IDs, no other headers, and error responses of Fastify's own.
 */
import { hash } from 'node:crypto';
import { type NewPet, plans } from '@animal-store/contract';
import fastify, { type FastifyReply } from 'fastify';
import { quotaOf } from '../../server/internals.ts';
import { openDatabase, readCursor } from './shared/database.ts';
import { type MaybePromise, mapMaybe } from './shared/maybe-promise.ts';
import type { ListQuery } from './shared/peer.ts';
import { schemas } from './shared/schemas.ts';
import { announce, keepAliveTimeout, listenOptions } from './shared/serve.ts';
import { cacheResponses, tunedOptions } from './shared/tuning.ts';

/** The requests of a key in the current minute. */
type Usage = { limit: string; perMinute: number; minute: number; used: number };

/** As many keys as our server remembers. */
const MAX_KEYS = 10_000;

const database = await openDatabase();
const usages = new Map<string, Usage>();
const app = fastify({ logger: false, keepAliveTimeout, ...tunedOptions });

app.addHook('onRequest', (request, reply, done) => {
  const digest = hash('sha256', (request.headers.authorization ?? '').slice('Bearer '.length), 'base64');
  const usage = usages.get(digest) ?? readUsage(digest);
  if (usage instanceof Promise) usage.then((found) => count(found, reply, done), done);
  else count(usage, reply, done);
});

function count(usage: Usage | undefined, reply: FastifyReply, done: () => void): void {
  if (usage === undefined) return void reply.code(401).send({ message: 'The API key is missing or invalid.' });
  const minute = Math.floor(Date.now() / 60_000);
  if (usage.minute !== minute) Object.assign(usage, { minute, used: 0 });
  usage.used += 1;
  reply.header('X-RateLimit-Limit', usage.limit);
  reply.header('X-RateLimit-Remaining', String(Math.max(0, usage.perMinute - usage.used)));
  reply.header('X-RateLimit-Reset', String((minute + 1) * 60));
  done();
}

function readUsage(digest: string): MaybePromise<Usage | undefined> {
  return mapMaybe(database.findKey(Buffer.from(digest, 'base64')), (key) => {
    if (key === undefined) return undefined;
    const { perMinute } = quotaOf(key, plans);
    const usage = { limit: String(perMinute), perMinute, minute: 0, used: 0 };
    if (usages.size >= MAX_KEYS) usages.clear();
    usages.set(digest, usage);
    return usage;
  });
}

cacheResponses(app);

app.get<{ Querystring: ListQuery }>(
  '/v1/pets',
  { schema: { querystring: schemas.listQuery, response: { 200: schemas.pets } } },
  ({ query: { limit, status, cursor } }, reply) => {
    const after = cursor === undefined ? 0 : readCursor(cursor);
    if (after === undefined) return void reply.code(400).send({ message: 'The cursor is not valid.' });
    return mapMaybe(database.list({ limit, status, after }), (pets) => void reply.send(pets));
  },
);

app.get<{ Params: { petId: number } }>(
  '/v1/pets/:petId',
  { schema: { params: schemas.petPath, response: { 200: schemas.pet } } },
  (request, reply) =>
    mapMaybe(database.find(request.params.petId), (pet) => {
      if (pet === undefined) reply.code(404).send({ message: 'Not found.' });
      else reply.send(pet);
    }),
);

app.post<{ Body: NewPet }>(
  '/v1/pets',
  { schema: { body: schemas.newPet, response: { 201: schemas.pet } } },
  (request, reply) => mapMaybe(database.add(request.body), (added) => void reply.code(201).send(added)),
);

await app.listen(listenOptions);
announce(app.server, database);
