import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { seededRandom } from '../../../packages/testing/src/seeded-random.ts';
import { encodeRequest, type LoadRequest, sendOnce } from '../../load/load.ts';
import { type Server, startServer } from '../../server/server.ts';
import { copyData, makeData } from '../data.ts';
import { animalStore, optionsOf, type ServerName, serverNames } from '../servers.ts';
import { workloadNames, workloads } from '../workloads.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-peers-'));
const data = makeData(join(folder, 'template'));
const running = new Map<ServerName, Server>();
const fullPeers = serverNames.filter((name) => name !== animalStore && !name.startsWith('Fastify, lean'));

/** Enough requests that a page, a filtered page and a creation are among them. */
const successes = workloadNames
  .filter((name) => workloads[name].group !== 'errors')
  .map((name) => [name, workloads[name].requests(data, seededRandom(1)).slice(0, 25)] as const);

/** More than the quota of the free plan, even if a minute ends while they are sent. */
const OVER_QUOTA = 130;

const headers = { Authorization: `Bearer ${data.key}` };
const get = (path: string, status: number) => [{ bytes: encodeRequest('GET', path, headers), status }];
const post = (body: string) => [{ bytes: encodeRequest('POST', '/v1/pets', headers, body), status: 400 }];
const withoutKey = (extra: Record<string, string>) => [{ bytes: encodeRequest('GET', '/v1/pets', extra), status: 401 }];

const others: [kind: string, requests: LoadRequest[]][] = [
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
  ['no key', withoutKey({})],
  ['an unknown key', withoutKey({ Authorization: `Bearer ${data.key.slice(0, -6)}aaaaaa` })],
  ['a key over its quota', workloads['429, key over its quota'].requests(data, seededRandom(1))],
  ['a request ID', [{ bytes: encodeRequest('GET', '/v1/pets', { ...headers, 'X-Request-Id': 'mine' }), status: 200 }]],
];
const kinds = new Map([...successes, ...others]);

beforeAll(async () => {
  for (const name of serverNames) {
    const options = optionsOf(name, folder);
    copyData(data.file, options.data);
    running.set(name, await startServer(options, undefined));
  }
});

afterAll(async () => {
  for (const server of running.values()) await server.stop();
  rmSync(folder, { recursive: true });
});

const cached = new Map<string, Promise<Seen[]>>();

/**
 * The responses of a server to one kind of request. The requests are sent only once, because some of them affect later
 * ones.
 */
function responsesOf(name: ServerName, kind: string): Promise<Seen[]> {
  const responses = cached.get(`${name} ${kind}`) ?? sendAll(name, kinds.get(kind) ?? []);
  cached.set(`${name} ${kind}`, responses);
  return responses;
}

async function sendAll(name: ServerName, requests: readonly LoadRequest[]): Promise<Seen[]> {
  const port = running.get(name)?.port ?? 0;
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

describe.each(fullPeers)('%s does the same work as our server', (peer) => {
  test.each([...kinds.keys()])('%s: same status, headers and body', async (kind) => {
    const expected = await responsesOf(animalStore, kind);
    expect(expected.length).toBeGreaterThan(0);
    expect(await responsesOf(peer, kind)).toEqual(expected);
  });
});

describe.each<ServerName>(['Fastify, lean', 'Fastify, lean, tuned'])('%s', (name) => {
  test.each(successes.map(([kind]) => kind))('%s: same status and body, and the rate-limit headers', async (kind) => {
    const expected = await responsesOf(animalStore, kind);
    const seen = await responsesOf(name, kind);
    expect(seen.map(({ status, body }) => [status, body])).toEqual(expected.map(({ status, body }) => [status, body]));
    for (const { headers } of seen) expect(headers['x-ratelimit-limit']).toEqual(['1000000000']);
  });
});
