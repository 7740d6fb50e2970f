/** node:http without a framework: routing and writing by hand for these three operations, validation by Ajv. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { limits, type NewPet } from '@animal-store/contract';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import type { Headers } from './shared/admission.ts';
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
import { type MaybePromise, mapMaybe } from './shared/maybe-promise.ts';
import { cachingHeaders, type ListQuery, openPeer } from './shared/peer.ts';
import { schemas } from './shared/schemas.ts';
import { announce, keepAliveTimeout, listenOptions } from './shared/serve.ts';

type Answer = ErrorResponse | { status: 200 | 201; body: unknown; headers: Record<string, string> };

const converting = formats.default(new Ajv({ coerceTypes: true, useDefaults: true }));
const isListQuery = converting.compile<ListQuery>(schemas.listQuery);
const isPetPath = converting.compile<{ petId: number }>(schemas.petPath);
const isNewPet = formats.default(new Ajv()).compile<NewPet>(schemas.newPet);

const peer = await openPeer();
const server = createServer({ keepAliveTimeout }, (request, response) => {
  const [path = '', search = ''] = (request.url ?? '').split('?');
  const { headers, socket } = request;
  void mapMaybe(peer.admit({ path, headers, address: socket.remoteAddress ?? '' }), (admission) => {
    if (admission.error !== undefined) send(response, admission.headers, admission.error);
    else if (request.method === 'POST' && path === '/v1/pets') void create(request, response, admission.headers);
    else void mapMaybe(read(request, path, search), (answer) => send(response, admission.headers, answer));
  });
});
server.listen(listenOptions, () => announce(server, peer));

function read({ method, headers }: IncomingMessage, path: string, search: string): MaybePromise<Answer> {
  if (method !== 'GET') return routeNotFound;
  if (path === '/v1/pets') return list(headers, search);
  return path.startsWith('/v1/pets/') ? get(path.slice('/v1/pets/'.length)) : routeNotFound;
}

function list(headers: IncomingMessage['headers'], search: string): MaybePromise<Answer> {
  const query: unknown = Object.fromEntries(new URLSearchParams(search));
  if (!isListQuery(query)) return invalidRequest(detailsOf('query', isListQuery.errors ?? []));
  return mapMaybe(peer.list(query, headers), (page): Answer => {
    if (page === undefined) return unknownCursor;
    return { status: 200, body: page.pets, headers: page.link === undefined ? {} : { Link: page.link } };
  });
}

function get(petId: string): MaybePromise<Answer> {
  const path: unknown = { petId };
  if (!isPetPath(path)) return invalidRequest(detailsOf('path', isPetPath.errors ?? []));
  return mapMaybe(peer.find(path.petId), (pet) =>
    pet === undefined ? petNotFound(path.petId) : { status: 200, body: pet, headers: {} },
  );
}

async function create(request: IncomingMessage, response: ServerResponse, headers: Headers): Promise<void> {
  try {
    send(response, headers, await add(await readJson(request), request));
  } catch (error) {
    if (error instanceof SyntaxError) return send(response, headers, invalidJson(error.message));
    console.error(error);
    send(response, headers, internalError());
  }
}

function add(body: unknown, { headers }: IncomingMessage): MaybePromise<Answer> {
  if (!isNewPet(body)) return invalidRequest(detailsOf('body', isNewPet.errors ?? []));
  return mapMaybe(peer.add(body), (added) => ({
    status: 201,
    body: added,
    headers: { Location: peer.locationOf(added, headers) },
  }));
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > limits.bodyBytes) throw new SyntaxError('it is too long');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

function send(response: ServerResponse, common: Headers, { status, headers, body }: Answer): void {
  const json = JSON.stringify(body);
  const link = 'Link' in headers ? headers['Link'] : undefined;
  const caching = status < 300 ? cachingHeaders(status, json, link) : {};
  const own = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(json)) };
  response.writeHead(status, { ...common, ...caching, ...headers, ...own }).end(json);
}
