import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTurn, putUnderLoad, requestBytes } from './load.ts';

/** Answers each request with the status that its path says. */
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  response.writeHead(Number(request.url?.slice(1)), { 'Content-Length': 2 }).end('ok');
});
const asked: string[] = [];
const briefly = { connections: 3, seconds: 0.1 };

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

function portOf(listening: Server): number {
  const address: AddressInfo | string | null = listening.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function port(): number {
  return portOf(server);
}

/** Asks for each of the statuses in turns; which one is expected is said beside it. */
function turns(...list: [sent: number, expected: number][]) {
  return inTurn(list.map(([sent, status]) => ({ bytes: requestBytes('GET', `/${sent}`, {}), status })));
}

describe('putUnderLoad', () => {
  it('counts all replies, and sends the requests in turns', async () => {
    asked.length = 0;
    const { replies, rate, p50, p99, bytes } = await putUnderLoad(
      { port: port(), next: turns([200, 200], [404, 404]) },
      briefly,
    );
    expect(replies).toBe(asked.length);
    expect(Math.abs(asked.filter((path) => path === '/404').length * 2 - replies)).toBeLessThanOrEqual(1);
    expect(rate).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
    expect(bytes).toBeGreaterThan(replies * 'HTTP/1.1 200 OK\r\n\r\nok'.length);
  });

  it('waits for the replies to what was asked, though the time is over before the first', async () => {
    const { rate, replies, p50 } = await putUnderLoad(
      { port: port(), next: turns([200, 200]) },
      { connections: 2, seconds: 0 },
    );
    expect(rate).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(replies).toBeGreaterThanOrEqual(2);
    expect(p50).toBeGreaterThan(0);
  });

  it('ends when all has been asked, at exactly so many', async () => {
    asked.length = 0;
    const turn = turns([200, 200]);
    let left = 7;
    const next = () => (left-- > 0 ? turn() : undefined);
    const { replies, rate } = await putUnderLoad({ port: port(), next }, { connections: 3, seconds: 600 });
    expect([replies, asked.length]).toEqual([7, 7]);
    expect(rate).toBeGreaterThan(0);
  });

  it('fails when a server hangs up before it has answered', async () => {
    const rude = createServer((request) => request.socket.destroy());
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
    const load = { port: portOf(rude), next: turns([200, 200]) };
    await expect(putUnderLoad(load, briefly)).rejects.toThrow(/hung up|ECONNRESET/);
    await new Promise((resolve) => rude.close(resolve));
  });

  it('fails when a reply has another status, and shows the reply', async () => {
    const load = { port: port(), next: turns([200, 200], [500, 200]) };
    await expect(putUnderLoad(load, briefly)).rejects.toThrow(/otherwise than expected: HTTP\/1.1 500/);
  });

  it('lets as many be otherwise as are tolerated', async () => {
    const load = { port: port(), next: turns([200, 200], [429, 200]), tolerance: 0.6 };
    await expect(putUnderLoad(load, briefly)).resolves.toMatchObject({ rate: expect.any(Number) });
  });
});
