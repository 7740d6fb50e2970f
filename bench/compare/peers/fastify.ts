/**
 * Fastify set up as its documentation shows, with all the work of our server: Ajv validates the requests,
 * fast-json-stringify writes the responses, and an onRequest hook checks key and quota before the body is read.
 */
import { limits, type NewPet } from '@animal-store/contract';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fastify, { type FastifyError, type FastifyReply } from 'fastify';
import {
  detailsOf,
  type ErrorResponse,
  internalError,
  invalidJson,
  invalidRequest,
  petNotFound,
  routeNotFound,
  unknownCursor,
} from './shared/errors.ts';
import { mapMaybe } from './shared/maybe-promise.ts';
import { cachingHeaders, type ListQuery, openPeer } from './shared/peer.ts';
import { schemas } from './shared/schemas.ts';
import { announce, keepAliveTimeout, listenOptions } from './shared/serve.ts';
import { cacheResponses, tunedOptions } from './shared/tuning.ts';

const peer = await openPeer();
const app = fastify({
  logger: false,
  keepAliveTimeout,
  bodyLimit: limits.bodyBytes,
  // Our server rejects unknown properties, so Fastify must not remove them silently.
  ajv: { customOptions: { removeAdditional: false } },
  ...tunedOptions,
});
// Values of a query are text and have to be converted. Values of a body must have the right type.
const strict = formats.default(new Ajv());
const { error } = schemas;
const errorSchemas = { 400: error, 401: error, 404: error, 429: error };

app.addHook('onRequest', (request, reply, done) => {
  const { headers, url } = request;
  const admitted = peer.admit({ path: url, headers, address: request.socket.remoteAddress ?? '' });
  const answered = mapMaybe(admitted, (admission) => {
    reply.headers(admission.headers);
    if (admission.error === undefined) done();
    else sendError(reply, admission.error);
  });
  if (answered instanceof Promise) answered.catch(done);
});

// As in @fastify/etag, which cannot include another header.
app.addHook('onSend', (_request, reply, payload, done) => {
  // A cached response already has them.
  if (reply.statusCode < 300 && !reply.hasHeader('ETag'))
    reply.headers(cachingHeaders(reply.statusCode, String(payload), linkOf(reply)));
  done();
});
cacheResponses(app);

app.get<{ Querystring: ListQuery }>(
  '/v1/pets',
  { schema: { querystring: schemas.listQuery, response: { 200: schemas.pets, ...errorSchemas } } },
  (request, reply) =>
    mapMaybe(peer.list(request.query, request.headers), (page) => {
      if (page === undefined) return sendError(reply, unknownCursor);
      if (page.link !== undefined) reply.header('Link', page.link);
      reply.send(page.pets);
    }),
);

app.get<{ Params: { petId: number } }>(
  '/v1/pets/:petId',
  { schema: { params: schemas.petPath, response: { 200: schemas.pet, ...errorSchemas } } },
  (request, reply) => {
    const { petId } = request.params;
    return mapMaybe(peer.find(petId), (pet) => {
      if (pet === undefined) return sendError(reply, petNotFound(petId));
      reply.send(pet);
    });
  },
);

app.post<{ Body: NewPet }>(
  '/v1/pets',
  {
    schema: { body: schemas.newPet, response: { 201: schemas.pet, ...errorSchemas } },
    validatorCompiler: ({ schema }) => strict.compile(schema),
  },
  (request, reply) =>
    mapMaybe(peer.add(request.body), (added) => {
      reply.code(201).header('Location', peer.locationOf(added, request.headers)).send(added);
    }),
);

app.setNotFoundHandler((_request, reply) => sendError(reply, routeNotFound));

app.setErrorHandler((failure: FastifyError, _request, reply) => {
  if (failure.validation !== undefined) {
    return sendError(reply, invalidRequest(detailsOf(placeOf(failure.validationContext), failure.validation)));
  }
  if (failure.statusCode === 400) return sendError(reply, invalidJson(failure.message));
  console.error(failure);
  sendError(reply, internalError());
});

/** The next page. Links of a deprecated operation are a list, which our server adds to every response of it. */
function linkOf(reply: FastifyReply): string | undefined {
  const link = reply.getHeader('Link');
  return typeof link === 'string' ? link : undefined;
}

function sendError(reply: FastifyReply, { status, headers, body }: ErrorResponse): void {
  reply.code(status).headers(headers).send(body);
}

function placeOf(context: string | undefined): 'query' | 'path' | 'body' {
  if (context === 'querystring') return 'query';
  return context === 'params' ? 'path' : 'body';
}

await app.listen(listenOptions);
announce(app.server, peer);
