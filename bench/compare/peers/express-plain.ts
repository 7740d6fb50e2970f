/** Express 5 alone: its router and its JSON parser. Query and body are validated by hand. */
import { limits } from '@animal-store/contract';
import express from 'express';
import { readListQuery, readNewPet, readPetId } from './shared/by-hand.ts';
import { admitting, answerErrors, listen, refuse } from './shared/express.ts';
import { openPeer } from './shared/peer.ts';
import { invalidRequest, petNotFound, routeNotFound, unknownCursor } from './shared/refusals.ts';

const peer = openPeer();
const app = express();
app.disable('x-powered-by');
// It would hash each reply.
app.disable('etag');
app.use(admitting(peer));
app.use(express.json({ limit: limits.bodyBytes }));

app.get('/v1/pets', (request, response) => {
  const query = readListQuery(Object.entries(request.query));
  if ('problems' in query) return refuse(response, invalidRequest(query.problems));
  const page = peer.list(query.value, request.headers);
  if (page === undefined) return refuse(response, unknownCursor);
  if (page.link !== undefined) response.set('Link', page.link);
  response.json(page.pets);
});

app.get('/v1/pets/:petId', (request, response) => {
  const id = readPetId(request.params.petId);
  if ('problems' in id) return refuse(response, invalidRequest(id.problems));
  const pet = peer.find(id.value);
  if (pet === undefined) return refuse(response, petNotFound(id.value));
  response.json(pet);
});

app.post('/v1/pets', (request, response) => {
  const pet = readNewPet(request.body);
  if ('problems' in pet) return refuse(response, invalidRequest(pet.problems));
  const added = peer.add(pet.value);
  response.status(201).location(peer.locationOf(added, request.headers)).json(added);
});

app.use((_request, response) => refuse(response, routeNotFound));
app.use(answerErrors);
listen(app, peer);
