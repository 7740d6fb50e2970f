import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { canHavePostgres } from '../../packages/testing/src/postgres/in-tests.ts';
import { seededRandom } from '../../packages/testing/src/seeded-random.ts';
import { type Data, makePostgresData, makeSqliteData } from '../data.ts';
import { encodeRequest, ResponseReader } from '../load.ts';
import { engineNames, optionsOf, type Server, type Side, sides, startServer } from '../server.ts';
import { workloads, workloadsOn } from '../workloads.ts';

/** Enough that a page, a filtered page and a creation are among the requests of each workload. */
const REQUESTS = 25;
const ROWS = 1_000;

type Seen = { status: number; headers: Record<string, string>; body: unknown };

/** Sends a request, and returns the response without the headers that may differ between servers. */
async function send(port: number, bytes: Buffer): Promise<Seen> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(bytes);
  const reader = new ResponseReader();
  try {
    for (;;) {
      const [chunk] = await once(socket, 'data');
      const response = reader.read(chunk);
      if (response === undefined) continue;
      const [head = '', json = ''] = response.text().split('\r\n\r\n');
      const lines = head.split('\r\n').slice(1);
      const headers: Record<string, string> = {};
      for (const [, name = '', value = ''] of lines.map((line) => /^([^:]+): (.*)$/.exec(line) ?? [])) {
        const key = name.toLowerCase();
        if (key in ignored) continue;
        // One header with a comma means the same as two headers (RFC 9110, section 5.3).
        headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
      }
      return { status: response.status, headers, body: JSON.parse(json) };
    }
  } finally {
    socket.destroy();
  }
}

/** Headers of the connection, and those that depend on the time or on chance. JSON is always UTF-8 (RFC 8259, section 8.1). */
const ignored = {
  date: true,
  connection: true,
  'keep-alive': true,
  'content-length': true,
  'content-type': true,
  'x-request-id': true,
  'x-ratelimit-reset': true,
};

describe.each(engineNames.filter((engine) => engine === 'sqlite' || canHavePostgres()))('on %s', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), `animal-store-peers-${engine}-`));
  const servers = new Map<Side, Server>();
  let data: Data | undefined;

  beforeAll(async () => {
    data = await (engine === 'sqlite' ? makeSqliteData(folder, ROWS) : makePostgresData(folder, ROWS));
    for (const side of sides) {
      servers.set(side, await startServer(await data.copyFor(optionsOf(side, engine, folder)), undefined));
    }
  });

  afterAll(async () => {
    for (const server of servers.values()) await server.stop();
    await data?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  async function responsesTo(requests: readonly { bytes: Buffer; status: number }[], side: Side): Promise<Seen[]> {
    const responses: Seen[] = [];
    for (const { bytes } of requests) responses.push(await send(servers.get(side)?.port ?? 0, bytes));
    expect(responses.map(({ status }) => status)).toEqual(requests.map(({ status }) => status));
    return responses;
  }

  test.each(workloadsOn(engine))('the peer does the same work as our server: %s', async (name) => {
    if (data === undefined) throw new Error('The data is made before the first test.');
    const requests = workloads[name].requests(data, seededRandom(1)).slice(0, REQUESTS);
    const own = await responsesTo(requests, 'own');
    const peer = await responsesTo(requests, 'peer');
    // The lean peer has no other headers than those of the quota.
    if (engine === 'sqlite') expect(peer).toEqual(own);
    else expect(peer.map(({ status, body }) => [status, body])).toEqual(own.map(({ status, body }) => [status, body]));
    for (const { headers } of peer) expect(headers['x-ratelimit-limit']).toBe('1000000000');
  });

  test('the peer refuses what the contract refuses', async () => {
    const key = data?.key ?? '';
    const refused = [
      { bytes: encodeRequest('GET', '/v1/pets', `${key.slice(0, -1)}_`), status: 401 },
      { bytes: encodeRequest('GET', '/v1/pets/9007199254740991', key), status: 404 },
      { bytes: encodeRequest('GET', '/v1/pets?limit=101', key), status: 400 },
      { bytes: encodeRequest('GET', '/v1/pets?cursor=abc', key), status: 400 },
      { bytes: encodeRequest('POST', '/v1/pets', key, '{"name":"","categoryId":3}'), status: 400 },
    ];
    for (const side of sides) await responsesTo(refused, side);
  });
});
