import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { anonymousLimits, errorStatus, limits } from '@animal-store/contract';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { eventually } from '../../../../testing/src/child.ts';
import { startProxy } from '../../../../testing/src/postgres/proxy.ts';
import { root } from '../../../../tooling/src/project.ts';
import { answered, callThrough, findNginx, rawExchange, send, startBehindNginx } from './nginx.ts';

const nginx = findNginx();
const describeNginx = nginx === undefined ? describe.skip : describe;
/** The settings of compose.yaml for servers behind this balancer. */
const { TRUST_PROXY } = parse(readFileSync(join(root, 'compose.yaml'), 'utf8'))['x-server'].environment;
const start = (parts = {}) => startBehindNginx(nginx ?? '', { environment: { TRUST_PROXY }, ...parts });

describeNginx('behind nginx', () => {
  test('both servers get requests, with the request ID of the caller or of nginx', async () => {
    await using balanced = await start();
    const { balancer, store, servers } = balanced;
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      const headers: Record<string, string> = count % 2 === 0 ? { 'x-request-id': `mine-${count}` } : {};
      const response = await callThrough(balancer.url, store.key, 'listPets', { headers });
      const id = response.headers.get('x-request-id') ?? '';
      if (count % 2 === 0) expect(id).toBe(`mine-${count}`);
      ids.push(id);
    }
    // The log is written a moment after the response.
    await eventually(
      () => ids.every((id) => servers.flatMap(answered).some(({ requestId }) => requestId === id)),
      () => `A request is in no log:\n${servers.map((server) => server.output()).join('')}`,
    );
    for (const server of servers) {
      expect(answered(server).filter(({ requestId }) => ids.includes(requestId)).length).toBeGreaterThan(4);
    }
    for (const id of ids) expect(balancer.log()).toContain(`"requestId":"${id}"`);
  });

  test('each IP address has its own quota, and a forged X-Forwarded-For does not change the address', async () => {
    await using balanced = await start();
    const { balancer, servers } = balanced;
    // One server, so that there is one quota.
    await balancer.takeOutOfRotation(2);
    let refused = 0;
    // Enough for two minutes, in case one ends during the test.
    for (let count = 0; refused < 5 && count < 3 * anonymousLimits.perMinute; count += 1) {
      if ((await statusOf(balancer.url, '127.0.0.2', `203.0.113.${count}`)) === 429) refused += 1;
    }
    expect(refused).toBe(5);
    expect(await statusOf(balancer.url, '127.0.0.3')).toBe(401);
    expect(answered(servers[1]).filter(({ operation }) => operation === 'listPets')).toEqual([]);
  });

  test('paths arrive as they were sent, and the metrics are not exposed', async () => {
    await using balanced = await start({ environment: { TRUST_PROXY, METRICS_PORT: '0' } });
    const { balancer, store } = balanced;
    const key = `Authorization: Bearer ${store.key}\r\n`;
    const statusLine = async (path: string) => (await rawExchange(balancer.port, `GET ${path} HTTP/1.1`, key)).status;
    expect(await statusLine('/v1/pets?limit=1')).toBe(200);
    for (const path of [
      '//v1/pets',
      '/v1/pets/',
      '/v1/../v1/pets',
      '/v1/pets%2F',
      '/V1/pets',
      '/metrics',
      '/refusals/x',
    ]) {
      expect([path, await statusLine(path)]).toEqual([path, 404]);
    }
  });

  test('a killed server fails no request that may be retried, and nginx uses the other one', async () => {
    await using balanced = await start();
    const { balancer, store, servers } = balanced;
    const statuses: number[] = [];
    const caller = async () => {
      for (let count = 0; count < 40; count += 1) {
        statuses.push((await callThrough(balancer.url, store.key, 'listPets')).status);
        if (statuses.length === 100) servers[0].child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 10 }, caller));
    expect(statuses).toEqual(Array(400).fill(200));
    await servers[1].end('SIGKILL');
    const response = await send(balancer.url, store.key, 'listPets');
    expect(response).toMatchObject({ status: 503, body: { code: 'service_unavailable', status: 503 } });
    expect(response.headers.get('retry-after')).toBe('2');
  });

  test('one address has at most 100 requests in progress, and others are served', async () => {
    await using balanced = await start();
    const { balancer, store } = balanced;
    const headers = `Authorization: Bearer ${store.key}\r\nContent-Type: application/json\r\nContent-Length: 9`;
    const incomplete = new Set<Socket>();
    /** Keeps more requests open than are allowed, also if some of them end. */
    const sendMore = () => {
      while (incomplete.size < 110) {
        const socket = connect(balancer.port, '127.0.0.1');
        incomplete.add(socket);
        socket.on('error', () => {}).once('data', () => socket.destroy());
        socket.once('close', () => incomplete.delete(socket));
        socket.write(`POST /v1/pets HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n\r\n{`);
      }
    };
    const statuses: number[] = [];
    try {
      await eventually(
        async () => {
          sendMore();
          statuses.push(await statusOf(balancer.url, '127.0.0.1'));
          return statuses.at(-1) === 503;
        },
        () => `The address is not limited: ${statuses.slice(-5)}\n${balancer.log().slice(-1_000)}`,
      );
      expect(await statusOf(balancer.url, '127.0.0.2')).toBe(401);
    } finally {
      for (const socket of incomplete) socket.destroy();
    }
  });

  test('a creation whose connection broke is not retried', async () => {
    await using stack = new AsyncDisposableStack();
    const before = async (port: number) => {
      const proxy = await startProxy(port);
      stack.defer(proxy.stop);
      cut = proxy.cutAfter('Only once');
      return proxy.port;
    };
    let cut: Promise<void> | undefined;
    const { balancer, store, servers } = stack.use(await start({ before }));
    await balancer.takeOutOfRotation(2);
    const body = { name: 'Only once', categoryId: 1 };
    const sent = await send(balancer.url, store.key, 'createPet', { body });
    await cut;
    expect(sent).toMatchObject({ status: 503, body: { message: expect.stringContaining('Idempotency-Key') } });
    await eventually(
      async () => (await servers[1].list()).body.length === 1,
      () => 'The animal was not added.',
    );
    const creations = () => servers.flatMap(answered).filter(({ operation }) => operation === 'createPet').length;
    await eventually(
      () => creations() > 0,
      () => 'No server logs it.',
    );
    expect(creations()).toBe(1);
  });
});

describeNginx('an error response of nginx itself', () => {
  const large = 'x'.repeat(20_000);
  const much = 'x'.repeat(300_000);
  const refusals: [what: string, line: string, rest: string, code: keyof typeof errorStatus][] = [
    [
      'a body that is far too large',
      'POST /v1/pets HTTP/1.1',
      `Content-Length: ${much.length}\r\n\r\n${much}`,
      'body_too_large',
    ],
    ['a URL that is too long', `GET /${large} HTTP/1.1`, '', 'headers_too_large'],
    ['a header that is too long', 'GET /v1/pets HTTP/1.1', `X: ${large}\r\n`, 'headers_too_large'],
    ['no HTTP', 'nonsense', '', 'malformed_http'],
    ['another version', 'GET / HTTP/3.7', '', 'malformed_http'],
    ['a URL that cannot be decoded', 'GET /%zz HTTP/1.1', '', 'malformed_http'],
    ['an unsupported coding', 'POST /v1/pets HTTP/1.1', 'Transfer-Encoding: gzip\r\n', 'malformed_http'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1', '', 'malformed_http'],
  ];

  test('has the form of the contract', async () => {
    await using balanced = await start();
    for (const [what, line, rest, code] of refusals) {
      const { status, headers, body } = await rawExchange(balanced.balancer.port, line, rest);
      expect([what, status, JSON.parse(body)]).toEqual([
        what,
        errorStatus[code],
        { code, message: expect.any(String), status: errorStatus[code] },
      ]);
      expect(headers).toMatch(/Content-Type: application\/json\r\n/);
      expect(headers).toMatch(/X-Request-Id: [0-9a-f]+\r\n/);
    }
    // TRACE, which nginx refuses by itself, and a body that is slightly too large get the server's own response.
    const key = `Authorization: Bearer ${balanced.store.key}\r\nContent-Type: application/json\r\n`;
    const trace = await rawExchange(balanced.balancer.port, 'TRACE /v1/pets HTTP/1.1', key);
    expect(trace).toMatchObject({ status: 405, headers: expect.stringContaining('Allow:') });
    const body = 'x'.repeat(limits.bodyBytes + 1);
    const rest = `${key}Content-Length: ${body.length}\r\n\r\n${body}`;
    const little = await rawExchange(balanced.balancer.port, 'POST /v1/pets HTTP/1.1', rest);
    expect(little).toMatchObject({ status: 413, headers: expect.stringContaining('X-RateLimit-Remaining:') });
  });
});

/** A call without a key, from an address of this machine. */
function statusOf(url: string, localAddress: string, forwarded?: string): Promise<number> {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/pets`, { localAddress, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end();
  });
}
