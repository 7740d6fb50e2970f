import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeRequest, inTurn, ResponseReader, runLoad } from './load.ts';

const received: string[] = [];
/** Answers with the status that the path names; `/0` closes the connection. */
const server = createServer((request, response) => {
  received.push(request.url ?? '');
  const status = Number(request.url?.slice(1));
  if (status === 0) request.socket.destroy();
  else response.writeHead(status, { 'Content-Length': 2 }).end('ok');
});

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Sends requests for these statuses in turn; each is followed by the status that the load expects. */
function run(turns: [sent: number, expected: number][], options: { connections: number; seconds: number }) {
  const requests = turns.map(([sent, status]) => ({ bytes: encodeRequest('GET', `/${sent}`, ''), status }));
  return runLoad(portOf(server), inTurn(requests), options);
}

function portOf(listening: Server): number {
  const address = listening.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const briefly = { connections: 3, seconds: 0.1 };

describe('runLoad', () => {
  test('counts every response and sends the requests in turn', async () => {
    received.length = 0;
    const { responses, rate, p50, p99 } = await run(
      [
        [200, 200],
        [404, 404],
      ],
      briefly,
    );
    expect(responses).toBe(received.length);
    expect(Math.abs(received.filter((path) => path === '/404').length * 2 - responses)).toBeLessThanOrEqual(1);
    expect(rate * briefly.seconds).toBeLessThanOrEqual(responses);
    expect(rate).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
  });

  test('waits for the responses to all requests it has sent', async () => {
    const { responses, p50 } = await run([[200, 200]], { connections: 2, seconds: 0 });
    expect(responses).toBeGreaterThanOrEqual(2);
    expect(p50).toBeGreaterThan(0);
  });

  test('fails if the server closes a connection before it responds', async () => {
    await expect(run([[0, 200]], briefly)).rejects.toThrow(/closed the connection|ECONNRESET/);
  });

  test('fails if a response has an unexpected status', async () => {
    const turns: [number, number][] = [
      [200, 200],
      [500, 200],
    ];
    await expect(run(turns, briefly)).rejects.toThrow(/unexpected status.*HTTP\/1.1 500/);
  });
});

describe('ResponseReader', () => {
  const first = 'HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 4\r\n\r\n[12]';
  const second = 'HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n';

  test('returns a response with its last byte, however it was cut into chunks', () => {
    for (let cut = 1; cut < first.length; cut += 1) {
      const reader = new ResponseReader();
      expect(reader.read(Buffer.from(first.slice(0, cut)))).toBeUndefined();
      const response = reader.read(Buffer.from(first.slice(cut)));
      expect([response?.status, response?.text()]).toEqual([200, first]);
      expect(reader.read(Buffer.from(second))?.status).toBe(404);
    }
  });

  test('rejects a response without a Content-Length', () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    expect(() => new ResponseReader().read(Buffer.from(chunked))).toThrow('no Content-Length');
  });
});
