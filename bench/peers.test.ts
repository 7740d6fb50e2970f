import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashSecret } from '../packages/server/src/auth/key-format.ts';
import { seededRandom } from '../scripts/testing/seeded-random.ts';
import { askOnce } from './ask-once.ts';
import { ANIMALS, addKeys, copyData, makeData } from './compare/data.ts';
import { dataFolder, ours, placeOf, type ServerName, serverNames } from './compare/servers.ts';
import { type Work, workNames, works } from './compare/works.ts';
import { type Ask, requestBytes } from './load.ts';
import { type Server, startServer } from './server.ts';

/** Requests of each work. Enough that a page, a filtered page and an animal that is added are among them. */
const EACH = 25;
/** As often a request is sent at most until its quota is used up, though a minute may end meanwhile. */
const QUOTA = 130;

const folder = mkdtempSync(join(tmpdir(), 'animal-store-peers-'));
const data = makeData(join(folder, 'template'));
const banned = bannedKey(data.file);
const running = new Map<ServerName, Server>();
const peers = serverNames.filter((name) => name !== ours);

beforeAll(async () => {
  for (const name of serverNames) {
    copyData(data.file, dataFolder(folder, name));
    const place = placeOf(name, dataFolder(folder, name), { TRUST_PROXY: '1' });
    running.set(name, await startServer(place, data.key, undefined));
  }
});

afterAll(async () => {
  for (const server of running.values()) await server.stop();
  rmSync(folder, { recursive: true });
});

/** A key of the database that is banned for the next hour. */
function bannedKey(file: string): string {
  const [secret = ''] = addKeys(file, 1);
  const database = new DatabaseSync(file);
  const until = Date.now() + 3_600_000;
  const day = Math.floor(Date.now() / 86_400_000);
  database
    .prepare(`INSERT INTO usage SELECT key_id, ?, 1, ?, 1, 7, ? FROM secrets WHERE hash = ?`)
    .run(day * 1_440, day, until, hashSecret(secret));
  database.close();
  return secret;
}

type Seen = { status: number; headers: Record<string, string[]>; body: unknown };

/** What belongs to the connection, or to the framework's way of writing the same. */
const ofTheConnection = new Set(['date', 'connection', 'keep-alive', 'content-length']);
/** How long it is until a window ends, or how much is left of it, is another one a moment later. */
const ofTheMoment = new Set(['x-ratelimit-reset', 'x-ratelimit-remaining', 'retry-after']);

async function ask(name: ServerName, { bytes }: Pick<Ask, 'bytes'>): Promise<Seen> {
  const server = running.get(name);
  if (server === undefined) throw new Error(`${name} does not run.`);
  const reply = await askOnce(server.port, bytes);
  const [head = '', json = ''] = reply.text().split('\r\n\r\n');
  const headers: Record<string, string[]> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (!ofTheConnection.has(key)) headers[key] = [...(headers[key] ?? []), ...valuesOf(key, value)];
  }
  return { status: reply.status, headers, body: JSON.parse(json) };
}

function valuesOf(name: string, value: string): string[] {
  // Two headers are one whose values a comma parts (RFC 9110 5.3).
  if (name === 'link') return value.split(', <').map((part, index) => (index === 0 ? part : `<${part}`));
  // JSON is UTF-8, so a charset says nothing (RFC 8259 11).
  if (name === 'content-type') return [value.replace('; charset=utf-8', '').replace('; charset=UTF-8', '')];
  if (name === 'x-request-id') return [value.replace(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'UUID')];
  return [ofTheMoment.has(name) ? value.replace(/^\d+$/, 'N') : value];
}

/** The frameworks say in their own words what is wrong, and some stop at the first problem. */
function comparable(seen: Seen): unknown {
  if (seen.status === 429)
    return { ...seen, body: JSON.stringify(seen.body).replaceAll(/\d+ (more )?seconds/g, 'N seconds') };
  if (seen.status !== 400) return seen;
  const { body } = seen;
  if (typeof body !== 'object' || body === null || !('code' in body) || !('status' in body)) return seen;
  return { ...seen, body: [body.code, body.status, Object.keys(body)] };
}

/** Requests that no work has: what else a caller can get wrong, and the end of a listing. */
function otherAsks(): [what: string, ask: Ask][] {
  const headers = { Authorization: `Bearer ${data.key}` };
  const get = (path: string, status: number): Ask => ({ bytes: requestBytes('GET', path, headers), status });
  const post = (body: string): Ask => ({ bytes: requestBytes('POST', '/v1/pets', headers, body), status: 400 });
  const last = Buffer.from(`after:${ANIMALS - 20}`).toString('base64url');
  return [
    ['the last page', get(`/v1/pets?limit=100&cursor=${last}`, 200)],
    ['the usual limit', get('/v1/pets', 200)],
    ['an unknown animal', get('/v1/pets/9007199254740991', 404)],
    ['an unknown path', get('/v1/animals', 404)],
    ['an id that is none', get('/v1/pets/rex', 400)],
    ['an id that nobody can have', get('/v1/pets/0', 404)],
    ['a cursor that nobody gave out', get('/v1/pets?cursor=abc', 400)],
    ['an unknown status', get('/v1/pets?status=lost', 400)],
    ['an unknown parameter', get('/v1/pets?colour=brown', 400)],
    ['a broken body', post('{')],
    ['an unknown property', post('{"name":"Rex","categoryId":3,"colour":"brown"}')],
    ['a control character in a name', post('{"name":"R\\u0000x","categoryId":3}')],
    ['a category that is no integer', post('{"name":"Rex","categoryId":"3"}')],
    ['a banned key', { bytes: requestBytes('GET', '/v1/pets', { Authorization: `Bearer ${banned}` }), status: 429 }],
    ['a request id', { bytes: requestBytes('GET', '/v1/pets', { ...headers, 'X-Request-Id': 'mine-1' }), status: 200 }],
  ];
}

const asks = new Map<string, Ask[]>([
  ...workNames.map((name): [string, Ask[]] => {
    const work: Work = works[name];
    // Only the first refusal is sure to be none for a ban.
    return [name, work.asks(data, seededRandom(1)).slice(0, work.tolerance === undefined ? EACH : 1)];
  }),
  ...otherAsks().map(([what, one]): [string, Ask[]] => [what, [one]]),
]);

const answered = new Map<string, Promise<unknown[]>>();

/** What a server answers to all requests of a kind; each is sent once only, for some change what follows. */
function repliesOf(name: ServerName, kind: string): Promise<unknown[]> {
  const known = answered.get(`${name} ${kind}`);
  const replies = known ?? askAll(name, asks.get(kind) ?? []);
  answered.set(`${name} ${kind}`, replies);
  return replies;
}

async function askAll(name: ServerName, list: Ask[]): Promise<unknown[]> {
  const replies: unknown[] = [];
  for (const one of list) {
    let seen = await ask(name, one);
    for (let sent = 1; one.status === 429 && seen.status !== 429 && sent < QUOTA; sent += 1)
      seen = await ask(name, one);
    expect(seen.status).toBe(one.status);
    replies.push(comparable(seen));
  }
  return replies;
}

describe.each(peers)('%s does the work of our server', (peer) => {
  test.each([...asks.keys()])('%s: same statuses, headers and bodies', async (kind) => {
    const expected = await repliesOf(ours, kind);
    expect(expected.length).toBeGreaterThan(0);
    expect(await repliesOf(peer, kind)).toEqual(expected);
  });
});

test('every server has written down the same requests of a key when it ends', async () => {
  for (const server of running.values()) await server.stop();
  running.clear();
  const used = serverNames.map((name) => usageIn(join(dataFolder(folder, name), 'bench.db')));
  expect(new Set(used.map((rows) => JSON.stringify(rows))).size).toBe(1);
  expect(used[0]).toHaveLength(3);
});

function usageIn(file: string): unknown[] {
  const database = new DatabaseSync(file);
  const rows = database.prepare('SELECT key_id, day_used FROM usage ORDER BY key_id').all();
  database.close();
  return rows;
}
