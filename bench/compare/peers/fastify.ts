/**
 * Fastify with JSON schemas in and out: requests validated by its Ajv, replies written by fast-json-stringify. Callers are
 * looked at in an onRequest hook, before the body is read.
 */
import { limits, type NewPet } from '@animal-store/contract';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fastify, { type FastifyError, type FastifyReply } from 'fastify';
import { type ListQuery, openPeer } from './shared/peer.ts';
import {
  internalError,
  invalidJson,
  invalidRequest,
  petNotFound,
  type Refusal,
  routeNotFound,
  unknownCursor,
} from './shared/refusals.ts';
import { schemas } from './shared/schemas.ts';
import { announce, keepAliveTimeout, listenOptions } from './shared/serve.ts';

const peer = openPeer();
const app = fastify({
  logger: false,
  keepAliveTimeout,
  bodyLimit: limits.bodyBytes,
  // Properties that the contract does not have are refused, not taken away in silence.
  ajv: { customOptions: { removeAdditional: false } },
});
// A query is text, so its values are converted; a body says its types.
const strict = formats.default(new Ajv());
const { error } = schemas;
const refusals = { 400: error, 401: error, 404: error, 429: error };

app.addHook('onRequest', (request, reply, done) => {
  const { headers, url } = request;
  const admission = peer.admit({ path: url, headers, address: request.socket.remoteAddress ?? '' });
  reply.headers(admission.headers);
  if (admission.refusal === undefined) done();
  else refuse(reply, admission.refusal);
});

app.get<{ Querystring: ListQuery }>(
  '/v1/pets',
  { schema: { querystring: schemas.listQuery, response: { 200: schemas.pets, ...refusals } } },
  (request, reply) => {
    const page = peer.list(request.query, request.headers);
    if (page === undefined) return refuse(reply, unknownCursor);
    if (page.link !== undefined) reply.header('Link', page.link);
    reply.send(page.pets);
  },
);

app.get<{ Params: { petId: number } }>(
  '/v1/pets/:petId',
  { schema: { params: schemas.petPath, response: { 200: schemas.pet, ...refusals } } },
  (request, reply) => {
    const { petId } = request.params;
    const pet = peer.find(petId);
    if (pet === undefined) return refuse(reply, petNotFound(petId));
    reply.send(pet);
  },
);

app.post<{ Body: NewPet }>(
  '/v1/pets',
  {
    schema: { body: schemas.newPet, response: { 201: schemas.pet, ...refusals } },
    validatorCompiler: ({ schema }) => strict.compile(schema),
  },
  (request, reply) => {
    const added = peer.add(request.body);
    reply.code(201).header('Location', peer.locationOf(added, request.headers)).send(added);
  },
);

app.setNotFoundHandler((_request, reply) => refuse(reply, routeNotFound));

app.setErrorHandler((failure: FastifyError, _request, reply) => {
  if (failure.validation !== undefined) {
    const place = placeOf(failure.validationContext);
    const details = failure.validation.map(({ instancePath, params, message = 'is invalid' }) => ({
      where: `${place}${instancePath === '' ? nameOf(params) : instancePath}`,
      what: message,
    }));
    return refuse(reply, invalidRequest(details));
  }
  if (failure.statusCode === 400) return refuse(reply, invalidJson(failure.message));
  console.error(failure);
  refuse(reply, internalError());
});

function refuse(reply: FastifyReply, { status, headers, body }: Refusal): void {
  reply.code(status).headers(headers).send(body);
}

function placeOf(context: string | undefined): string {
  if (context === 'querystring') return 'query';
  return context === 'params' ? 'path' : 'body';
}

/** What is missing, or too much. */
function nameOf(params: Record<string, unknown>): string {
  const name = params['missingProperty'] ?? params['additionalProperty'];
  return name === undefined ? '' : `/${name}`;
}

await app.listen(listenOptions);
announce(app.server, peer);
