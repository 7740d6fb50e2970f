/**
 * Express 5 with express-openapi-validator, set up as its README shows: JSON parser, validator for the whole contract, error
 * handler. Responses are not validated, because our server does not validate them in production either.
 */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { enumerations, limits } from '@animal-store/contract';
import express, { type ErrorRequestHandler, type Response } from 'express';
import { error as errors, middleware as openApiValidator } from 'express-openapi-validator';
import {
  type ErrorResponse,
  internalError,
  invalidJson,
  invalidRequest,
  petNotFound,
  routeNotFound,
  unknownCursor,
} from './shared/errors.ts';
import { mapMaybe } from './shared/maybe-promise.ts';
import { cachingHeaders, openPeer } from './shared/peer.ts';
import { announce, keepAliveTimeout, listenOptions } from './shared/serve.ts';

const peer = await openPeer();
const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.use((request, response, next) => {
  const { path, headers, socket } = request;
  const admitted = peer.admit({ path, headers, address: socket.remoteAddress ?? '' });
  return mapMaybe(admitted, ({ headers: common, error }) => {
    response.set(common);
    if (error === undefined) next();
    else sendError(response, error);
  });
});
app.use(express.json({ limit: limits.bodyBytes }));
app.use(
  openApiValidator({
    apiSpec: fileURLToPath(new URL('../../../packages/contract/src/generated/openapi.yaml', import.meta.url)),
    validateRequests: true,
    validateResponses: false,
    // The first middleware has checked the key.
    validateSecurity: false,
  }),
);

app.get('/v1/pets', (request, response) => {
  // The validator has converted numbers and filled in defaults, which the types of Express do not know.
  const { limit, status, cursor } = request.query;
  const query = { limit: Number(limit), status: enumerations.PetStatus.find((known) => known === status) };
  return mapMaybe(peer.list(typeof cursor === 'string' ? { ...query, cursor } : query, request.headers), (page) => {
    if (page === undefined) return sendError(response, unknownCursor);
    if (page.link !== undefined) response.set('Link', page.link);
    sendPets(response, 200, page.pets, page.link);
  });
});

app.get('/v1/pets/:petId', (request, response) => {
  const id = Number(request.params.petId);
  return mapMaybe(peer.find(id), (pet) => {
    if (pet === undefined) return sendError(response, petNotFound(id));
    sendPets(response, 200, pet);
  });
});

app.post('/v1/pets', (request, response) =>
  mapMaybe(peer.add(request.body), (added) => {
    response.location(peer.locationOf(added, request.headers));
    sendPets(response, 201, added);
  }),
);

/** Express recognises an error handler by its four parameters. */
const handleError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof errors.NotFound) return sendError(response, routeNotFound);
  if (error instanceof SyntaxError) return sendError(response, invalidJson(error.message));
  if (error instanceof errors.BadRequest) {
    // The validator writes `/params/petId`, the contract `path/petId`.
    const where = (path: string) => path.slice(1).replace(/^params\//, 'path/');
    const details = error.errors.map(({ path, message }) => ({ where: where(path), what: message }));
    return sendError(response, invalidRequest(details));
  }
  console.error(error);
  sendError(response, internalError());
};
app.use(handleError);

function sendPets(response: Response, status: number, pets: unknown, link?: string): void {
  const json = JSON.stringify(pets);
  response
    .status(status)
    .set(cachingHeaders(status, json, link))
    .type('application/json')
    .send(json);
}

function sendError(response: Response, { status, headers, body }: ErrorResponse): void {
  response.status(status).set(headers).json(body);
}

const server = createServer({ keepAliveTimeout }, app);
server.listen(listenOptions, () => announce(server, peer));
