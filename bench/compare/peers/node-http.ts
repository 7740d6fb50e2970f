/** The limit: node:http with a server written by hand for these three operations, as fast as it reads well. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { limits } from '@animal-store/contract';
import type { ReplyHeaders } from './shared/admission.ts';
import { readListQuery, readNewPet, readPetId } from './shared/by-hand.ts';
import { openPeer } from './shared/peer.ts';
import {
  internalError,
  invalidJson,
  invalidRequest,
  petNotFound,
  type Refusal,
  routeNotFound,
  unknownCursor,
} from './shared/refusals.ts';
import { announce, keepAliveTimeout, listenOptions } from './shared/serve.ts';

/** A reply with the headers that are its own. */
type Reply = Refusal | { status: 200 | 201; body: unknown; headers: Record<string, string> };

const peer = openPeer();
const server = createServer({ keepAliveTimeout }, (request, response) => {
  const [path = '', search = ''] = (request.url ?? '').split('?');
  const { headers, socket } = request;
  const admission = peer.admit({ path, headers, address: socket.remoteAddress ?? '' });
  if (admission.refusal !== undefined) send(response, admission.headers, admission.refusal);
  else if (request.method === 'POST' && path === '/v1/pets') void answerAdding(request, response, admission.headers);
  else send(response, admission.headers, read(request, path, search));
});
server.listen(listenOptions, () => announce(server, peer));

function read({ method, headers }: IncomingMessage, path: string, search: string): Reply {
  if (method !== 'GET') return routeNotFound;
  if (path === '/v1/pets') return list(headers, search);
  return path.startsWith('/v1/pets/') ? get(path.slice('/v1/pets/'.length)) : routeNotFound;
}

function list(headers: IncomingMessage['headers'], search: string): Reply {
  const query = readListQuery(new URLSearchParams(search));
  if ('problems' in query) return invalidRequest(query.problems);
  const page = peer.list(query.value, headers);
  if (page === undefined) return unknownCursor;
  return { status: 200, body: page.pets, headers: page.link === undefined ? {} : { Link: page.link } };
}

function get(text: string): Reply {
  const id = readPetId(text);
  if ('problems' in id) return invalidRequest(id.problems);
  const pet = peer.find(id.value);
  return pet === undefined ? petNotFound(id.value) : { status: 200, body: pet, headers: {} };
}

async function answerAdding(request: IncomingMessage, response: ServerResponse, headers: ReplyHeaders): Promise<void> {
  try {
    send(response, headers, await add(request));
  } catch (error) {
    if (error instanceof SyntaxError) return send(response, headers, invalidJson(error.message));
    console.error(error);
    send(response, headers, internalError());
  }
}

async function add(request: IncomingMessage): Promise<Reply> {
  const pet = readNewPet(await readJson(request));
  if ('problems' in pet) return invalidRequest(pet.problems);
  const added = peer.add(pet.value);
  return { status: 201, body: added, headers: { Location: peer.locationOf(added, request.headers) } };
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

function send(response: ServerResponse, common: ReplyHeaders, { status, headers, body }: Reply): void {
  const json = JSON.stringify(body);
  const own = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(json)) };
  response.writeHead(status, { ...common, ...headers, ...own }).end(json);
}
