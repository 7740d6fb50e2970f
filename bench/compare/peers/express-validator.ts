/**
 * Express 5 with express-openapi-validator, wired as its README does it: JSON parser, validator over the whole contract,
 * error handler. Replies are not validated, since those of our server are not in production either.
 */
import { fileURLToPath } from 'node:url';
import { limits } from '@animal-store/contract';
import express, { type ErrorRequestHandler } from 'express';
import { error as errors, middleware as openApiValidator } from 'express-openapi-validator';
import { admitting, answerErrors, listen, refuse } from './shared/express.ts';
import { openPeer } from './shared/peer.ts';
import { invalidRequest, petNotFound, routeNotFound, unknownCursor } from './shared/refusals.ts';
import { isStatus } from './shared/rules.ts';

const peer = openPeer();
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(admitting(peer));
app.use(express.json({ limit: limits.bodyBytes }));
app.use(
  openApiValidator({
    apiSpec: fileURLToPath(new URL('../../../openapi.yaml', import.meta.url)),
    validateRequests: true,
    validateResponses: false,
    // The key was looked at before.
    validateSecurity: false,
  }),
);

app.get('/v1/pets', (request, response) => {
  // Numbers and defaults are filled in by the validator, which Express' types do not know.
  const { limit, status, cursor } = request.query;
  const query = { limit: Number(limit), status: isStatus(status) ? status : undefined };
  const page = peer.list(typeof cursor === 'string' ? { ...query, cursor } : query, request.headers);
  if (page === undefined) return refuse(response, unknownCursor);
  if (page.link !== undefined) response.set('Link', page.link);
  response.json(page.pets);
});

app.get('/v1/pets/:petId', (request, response) => {
  const id = Number(request.params.petId);
  const pet = peer.find(id);
  if (pet === undefined) return refuse(response, petNotFound(id));
  response.json(pet);
});

app.post('/v1/pets', (request, response) => {
  const added = peer.add(request.body);
  response.status(201).location(peer.locationOf(added, request.headers)).json(added);
});

const answerValidator: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (error instanceof errors.NotFound) return refuse(response, routeNotFound);
  if (!(error instanceof errors.BadRequest)) return next(error);
  const details = error.errors.map(({ path, message }) => ({ where: whereOf(path), what: message }));
  refuse(response, invalidRequest(details));
};

/** `/params/petId` is `path/petId` in the contract's words. */
function whereOf(path: string): string {
  return path.slice(1).replace(/^params\//, 'path/');
}

app.use(answerValidator);
app.use(answerErrors);
listen(app, peer);
