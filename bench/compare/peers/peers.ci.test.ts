import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { canHavePostgres } from '../../../packages/testing/src/postgres/in-tests.ts';
import { seededRandom } from '../../../packages/testing/src/seeded-random.ts';
import { encodeRequest, type LoadRequest, sendOnce } from '../../load/load.ts';
import { type Server, startServer } from '../../server/server.ts';
import { type Data, type EngineName, engineNames, type Keys, makeSqliteData } from '../data.ts';
import { makePostgresData } from '../postgres-data.ts';
import { animalStore, optionsOf, type ServerName, serversOf } from '../servers.ts';
import { type WorkloadName, workloads, workloadsOn } from '../workloads.ts';

/** More than the quota of the free plan, even if a minute ends while they are sent. */
const OVER_QUOTA = 130;

/** The requests of one kind, with the keys of the database. */
type Requests = (keys: Keys) => LoadRequest[];

/** Enough requests that a page, a filtered page and a creation are among them. */
const successes = workloadsOn('sqlite')
  .filter((name) => workloads[name].group !== 'errors')
  .map((name): [WorkloadName, Requests] => [name, (keys) => requestsOf(name, keys).slice(0, 25)]);

function requestsOf(name: WorkloadName, keys: Keys): LoadRequest[] {
  return workloads[name].requests(keys, seededRandom(1));
}

const headersOf = ({ key }: Keys) => ({ Authorization: `Bearer ${key}` });
const get =
  (path: string, status: number, extra: Record<string, string> = {}): Requests =>
  (keys) => [{ bytes: encodeRequest('GET', path, { ...headersOf(keys), ...extra }), status }];
const post =
  (body: string): Requests =>
  (keys) => [{ bytes: encodeRequest('POST', '/v1/pets', headersOf(keys), body), status: 400 }];
const withoutKey = (extra: Record<string, string>) => [{ bytes: encodeRequest('GET', '/v1/pets', extra), status: 401 }];

const others: [kind: string, requests: Requests][] = [
  ['the last page', get(`/v1/pets?limit=100&cursor=${Buffer.from('after:99980').toString('base64url')}`, 200)],
  ['the default limit', get('/v1/pets', 200)],
  ['a pet that does not exist', get('/v1/pets/9007199254740991', 404)],
  ['an unknown path', get('/v1/animals', 404)],
  ['an ID that is not a number', get('/v1/pets/rex', 400)],
  ['an invalid cursor', get('/v1/pets?cursor=abc', 400)],
  ['a limit that is too large', get('/v1/pets?limit=101', 400)],
  ['an unknown status', get('/v1/pets?status=lost', 400)],
  ['an unknown parameter', get('/v1/pets?colour=brown', 400)],
  ['malformed JSON', post('{')],
  ['an empty name', post('{"name":"","categoryId":3}')],
  ['an unknown property', post('{"name":"Rex","categoryId":3,"colour":"brown"}')],
  ['a category that is not an integer', post('{"name":"Rex","categoryId":"3"}')],
  ['no key', () => withoutKey({})],
  ['an unknown key', ({ key }) => withoutKey({ Authorization: `Bearer ${key.slice(0, -6)}aaaaaa` })],
  ['a key over its quota', (keys) => requestsOf('429, key over its quota', keys)],
  ['a request ID', get('/v1/pets', 200, { 'X-Request-Id': 'mine' })],
];
const kinds = new Map<string, Requests>([...successes, ...others]);

const engines = engineNames.filter((engine) => engine === 'sqlite' || canHavePostgres());
const folders = engines.map((engine) => mkdtempSync(join(tmpdir(), `animal-store-peers-${engine}-`)));

type Running = { data: Data; servers: Map<ServerName, Server>; requests: ReadonlyMap<string, LoadRequest[]> };
const running = new Map<EngineName, Running>();

beforeAll(async () => {
  for (const [index, engine] of engines.entries()) {
    const folder = folders[index] ?? '';
    const data = await (engine === 'sqlite'
      ? makeSqliteData(join(folder, 'template'))
      : makePostgresData(folder, undefined));
    const servers = new Map<ServerName, Server>();
    const requests = new Map([...kinds].map(([kind, make]) => [kind, make(data)]));
    running.set(engine, { data, servers, requests });
    for (const name of serversOf[engine]) {
      servers.set(name, await startServer(await data.copyFor(optionsOf(name, folder)), undefined));
    }
  }
});

afterAll(async () => {
  for (const { data, servers } of running.values()) {
    for (const server of servers.values()) await server.stop();
    await data[Symbol.asyncDispose]();
  }
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const cached = new Map<string, Promise<Seen[]>>();

/**
 * The responses of a server to one kind of request. The requests are sent only once, because some of them affect later
 * ones.
 */
function responsesOf(engine: EngineName, name: ServerName, kind: string): Promise<Seen[]> {
  const { servers, requests } = running.get(engine) ?? {};
  const place = `${engine} ${name} ${kind}`;
  const responses = cached.get(place) ?? sendAll(servers?.get(name)?.port ?? 0, requests?.get(kind) ?? []);
  cached.set(place, responses);
  return responses;
}

async function sendAll(port: number, requests: readonly LoadRequest[]): Promise<Seen[]> {
  const responses: Seen[] = [];
  for (const { bytes, status } of requests) {
    let seen = await send(port, bytes);
    for (let sent = 1; status === 429 && seen.status !== 429 && sent < OVER_QUOTA; sent += 1) {
      seen = await send(port, bytes);
    }
    expect(seen.status).toBe(status);
    responses.push(seen);
  }
  return responses;
}

type Seen = { status: number; headers: Record<string, string[]>; body: unknown };

/** Sends a request, and returns the response without the parts that may differ between servers and runs. */
async function send(port: number, bytes: Buffer): Promise<Seen> {
  const response = await sendOnce(port, bytes);
  const [head = '', json = ''] = response.text().split('\r\n\r\n');
  const headers: Record<string, string[]> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? [];
    const key = name.toLowerCase();
    if (/^(date|connection|keep-alive|content-length)$/.test(key)) continue;
    headers[key] = [...(headers[key] ?? []), ...normalized(key, value)];
  }
  const body: unknown = JSON.parse(json);
  return { status: response.status, headers, body: response.status < 400 ? body : withoutMessages(body) };
}

function normalized(name: string, value: string): string[] {
  // One header with a comma means the same as two headers (RFC 9110, section 5.3).
  if (name === 'link') return value.split(', <').map((part, index) => (index === 0 ? part : `<${part}`));
  // JSON is always UTF-8 (RFC 8259, section 8.1).
  if (name === 'content-type') return [value.replace(/; charset=utf-8/i, '')];
  if (name === 'x-request-id') return [value.replace(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'UUID')];
  return [/^(x-ratelimit-re(set|maining)|retry-after)$/.test(name) ? value.replace(/^\d+$/, 'N') : value];
}

/** Each framework words its messages differently, and some report the first problem only. */
function withoutMessages(body: unknown): unknown {
  const isError = typeof body === 'object' && body !== null && 'code' in body && 'status' in body;
  return isError ? [body.code, body.status, Object.keys(body)] : body;
}

describe.each(engines)('on %s', (engine) => {
  const names = serversOf[engine];
  const isLean = (name: ServerName) => name.startsWith('Fastify, lean');
  const isReference = (name: ServerName) => engine === 'sqlite' && name === animalStore;

  describe.each(names.filter((name) => !isLean(name) && !isReference(name)))(
    '%s does the same work as our server',
    (name) => {
      test.each([...kinds.keys()])('%s: same status, headers and body', async (kind) => {
        const expected = await responsesOf('sqlite', animalStore, kind);
        expect(expected.length).toBeGreaterThan(0);
        expect(await responsesOf(engine, name, kind)).toEqual(expected);
      });
    },
  );

  describe.each(names.filter(isLean))('%s', (name) => {
    test.each(successes.map(([kind]) => kind))('%s: same status and body, and the rate-limit headers', async (kind) => {
      const expected = await responsesOf('sqlite', animalStore, kind);
      const seen = await responsesOf(engine, name, kind);
      expect(seen.map(({ status, body }) => [status, body])).toEqual(
        expected.map(({ status, body }) => [status, body]),
      );
      for (const { headers } of seen) expect(headers['x-ratelimit-limit']).toEqual(['1000000000']);
    });
  });
});
