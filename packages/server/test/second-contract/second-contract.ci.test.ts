import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, type RunningChild, runNode } from '../../../testing/src/child.ts';
import { describeOnPostgres } from '../../../testing/src/postgres/in-tests.ts';
import { openSocket } from '../../../testing/src/service/wire.ts';
import { root } from '../../../tooling/src/project.ts';
import { textNote } from '../../../tooling/test/second-contract-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'second-contract-'));
afterAll(() => rmSync(folder, { recursive: true }));

const main = join(import.meta.dirname, 'main.ts');

describe('a contract with everything that HTTP can express', () => {
  test('passes lint', () => {
    const redocly = join(root, 'node_modules/@redocly/cli/bin/cli.js');
    const file = join(import.meta.dirname, 'generated/openapi.yaml');
    const options = ['--config', '.redocly.yaml', '--lint-config', 'error'];
    execFileSync(process.execPath, [redocly, 'lint', file, ...options], { cwd: root, stdio: 'pipe' });
  });
});

const taggedNote = { ...textNote, tags: ['bird'] };
const json = { 'content-type': 'application/json' };
const mergePatch = { 'content-type': 'application/merge-patch+json' };

type Sent = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  key?: string | null;
};

/** A server of the second contract, with one key of each scope. */
class SecondServer {
  readonly #child: RunningChild;
  readonly url: string;
  readonly pid: number;
  readonly key: string;
  readonly reader: string;

  static async start(databaseUrl: string): Promise<SecondServer> {
    const environment = {
      ...{ PORT: '0', METRICS_PORT: '0', DATABASE_URL: databaseUrl },
      // No test can end because of the deadline of a stop.
      ...{ VALIDATE_RESPONSES: 'true', NODE_ENV: 'production', DRAIN_SECONDS: '3600' },
    };
    const { PATH = '' } = process.env;
    const env = { PATH, DATABASE_URL: databaseUrl, NODE_ENV: 'production' };
    const runProgram = (...parameters: string[]) =>
      execFileSync(process.execPath, parameters, { cwd: folder, encoding: 'utf8', env, stdio: 'pipe' });
    const create = (scope: string) => {
      const plan = ['--plan', 'business', '--scope', scope, '--json'];
      return String(JSON.parse(runProgram(main, 'keys', 'create', ...plan)).key);
    };
    runProgram(main, 'migrate');
    const [key, reader] = [create('write'), create('read')];
    const child = runNode(folder, [main], environment);
    const output = await child.printed(/API +http:\S+\/v1/);
    const url = /API +(http:\S+\/v1)/.exec(output)?.[1] ?? '';
    return new SecondServer(child, url, key, reader);
  }

  constructor(child: RunningChild, url: string, key: string, reader: string) {
    this.#child = child;
    this.url = url;
    this.key = key;
    this.reader = reader;
    this.pid = child.pid;
  }

  ask(path: string, { method = 'GET', headers = {}, body, key = this.key }: Sent = {}): Promise<Response> {
    const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
    return fetch(`${this.url}${path}`, {
      method,
      headers: { ...authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  }

  async addNote(note: object = taggedNote): Promise<{ id: number; etag: string }> {
    const response = await this.ask('/notes', { method: 'POST', headers: json, body: JSON.stringify(note) });
    expect(response.status).toBe(201);
    const { id }: { id: number } = JSON.parse(await response.text());
    return { id, etag: response.headers.get('etag') ?? '' };
  }

  output(): string {
    return this.#child.output();
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    expect(await this.#child.ended).toBe(0);
  }
}

async function errorOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { code, message }: { code: string; message: string } = JSON.parse(await response.text());
  return { status: response.status, code, message };
}

function describeSecondContract(engine: string, freshUrl: () => Promise<string> | string): void {
  describe(`on ${engine}`, () => {
    let server: SecondServer;
    beforeAll(async () => {
      server = await SecondServer.start(await freshUrl());
    });
    afterAll(() => server.stop());

    test('an event stream sends its headers and comments while there are no events, and ends when its caller disconnects', async () => {
      const before = openDescriptors(server.pid);
      const socket = openSocket(server.url).on('error', () => {});
      socket.write(`GET /v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\n\r\n`);
      let received = '';
      socket.on('data', (data) => {
        received += data;
      });
      await eventually(
        () => received.includes(':\n\n'),
        () => received,
      );
      expect(received).toMatch(/^HTTP\/1\.1 200 /);
      socket.end();
      await eventually(
        () => openDescriptors(server.pid) <= before,
        () => `${openDescriptors(server.pid)} descriptors are open, ${before} before`,
      );
    });

    test.each(['end', 'resetAndDestroy'] as const)(
      'an upload that its caller cuts off (%s) ends its operation',
      async (leave) => {
        const count = (text: string) => server.output().split(text).length - 1;
        const [begun, closed] = [() => count('an archive was begun'), () => count('an archive was closed')];
        const before = { begun: begun(), closed: closed() };
        const socket = openSocket(server.url).on('error', () => {});
        socket.write(
          `POST /v1/archives HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/octet-stream\r\nContent-Length: 4000000\r\n\r\n`,
        );
        socket.write(Buffer.alloc(200_000));
        await eventually(
          () => begun() === before.begun + 1,
          () => server.output(),
        );
        socket[leave]();
        await eventually(
          () => closed() === before.closed + 1,
          () => server.output(),
        );
      },
    );

    test('arrays, numbers and header parameters reach the operation, and invalid ones are named', async () => {
      await server.addNote();
      const found = await server.ask('/notes?tag=bird&tag=fish&minWeight=0.5', {
        headers: { 'X-Region': 'north', 'X-Depth': '2' },
      });
      expect(JSON.parse(await found.text()).length).toBeGreaterThan(0);
      for (const headers of [{ 'X-Region': 'south' }, { 'X-Depth': '1' }]) {
        expect(await (await server.ask('/notes', { headers })).text()).toBe('[]');
      }
      for (const weight of ['0x1', '1e999', '+1', '.5', ' 1']) {
        const path = `/notes?minWeight=${encodeURIComponent(weight)}`;
        expect([weight, (await server.ask(path)).status]).toEqual([weight, 400]);
      }
      // encodeURIComponent does not encode the apostrophe.
      expect((await server.ask("/notes?tag=it's&tag=a%2Fb")).status).toBe(200);
      const refused = await server.ask('/notes?minWeight=-1&tag=bird&tag=bird', {
        headers: { 'X-Region': 'west', 'X-Depth': '0x1' },
      });
      const { message } = await errorOf(refused);
      for (const part of ['query/minWeight', 'query/tag', 'header/X-Region', 'header/X-Depth'])
        expect(message).toContain(part);
    });

    test('a request with the same Idempotency-Key but another If-Match is refused', async () => {
      const { id, etag } = await server.addNote();
      const patch = (ifMatch: string) =>
        server.ask(`/notes/${id}`, {
          method: 'PATCH',
          headers: { ...mergePatch, 'if-match': ifMatch, 'idempotency-key': `patch-${id}` },
          body: JSON.stringify({ title: 'Grey heron' }),
        });
      expect((await patch(etag)).status).toBe(200);
      const replayed = await patch(etag);
      expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
      expect((await patch('*')).status).toBe(422);
    });

    test('a request with the same Idempotency-Key but another query is refused', async () => {
      const { id, etag } = await server.addNote();
      const patch = (query: string) =>
        server.ask(`/notes/${id}?${query}`, {
          method: 'PATCH',
          headers: { ...mergePatch, 'if-match': etag, 'idempotency-key': `query-${id}` },
          body: JSON.stringify({ title: 'Grey heron' }),
        });
      expect((await patch('notebook=birds')).status).toBe(200);
      expect((await patch('notebook=birds')).headers.get('idempotency-replayed')).toBe('true');
      expect((await patch('notebook=plants')).status).toBe(422);
    });

    test('bytes arrive and return unchanged, up to the limit of their media type', async () => {
      const { id } = await server.addNote();
      const put = (size: number, type = 'image/png') =>
        server.ask(`/notes/${id}/photo`, {
          method: 'PUT',
          headers: { 'content-type': type },
          body: new Uint8Array(randomBytes(size)),
        });
      const bytes = new Uint8Array(randomBytes(200_000));
      const stored = await server.ask(`/notes/${id}/photo`, {
        method: 'PUT',
        headers: { 'content-type': 'image/png' },
        body: bytes,
      });
      expect(stored.status).toBe(204);
      const photo = await server.ask(`/notes/${id}/photo`);
      expect(photo.headers.get('content-type')).toBe('image/png');
      expect(Buffer.from(await photo.arrayBuffer()).equals(bytes)).toBe(true);
      expect(await errorOf(await put(200_001))).toMatchObject({ status: 413, code: 'body_too_large' });
      const { message, status } = await errorOf(await put(10, 'image/jpeg'));
      expect([status, message]).toEqual([415, expect.stringContaining('image/png')]);
      expect(Buffer.from(await (await server.ask(`/notes/${id}/photo`)).arrayBuffer()).equals(bytes)).toBe(true);
    });

    test('text reaches the operation together with its media type', async () => {
      const { id } = await server.addNote();
      const put = (type: string, body: string | Uint8Array<ArrayBuffer>) =>
        server.ask(`/notes/${id}/text`, { method: 'PUT', headers: { 'content-type': type }, body });
      expect((await put('text/markdown; charset=UTF-8', '**Dusk**')).status).toBe(204);
      expect(JSON.parse(await (await server.ask(`/notes/${id}`)).text()).text).toBe('Dusk');
      expect((await put('text/plain', '**Dusk**')).status).toBe(204);
      expect(JSON.parse(await (await server.ask(`/notes/${id}`)).text()).text).toBe('**Dusk**');
      expect(await errorOf(await put('text/plain', 'x'.repeat(501)))).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
      expect(await errorOf(await put('text/plain', new Uint8Array([0xff, 0xfe])))).toMatchObject({ status: 400 });
      expect(await errorOf(await put('text/html', 'x'))).toMatchObject({ status: 415 });
      expect(await errorOf(await put('text/plain; charset=latin1', 'x'))).toMatchObject({ status: 415 });
    });

    test('a streamed request is read as it arrives, up to its limit, and refused above it', async () => {
      const bytes = new Uint8Array(randomBytes(5_000_000));
      const send = (body: Uint8Array<ArrayBuffer>) =>
        server.ask('/archives', { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body });
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(JSON.parse(await (await send(bytes)).text())).toEqual({ bytes: bytes.length, sha256 });
      expect(await errorOf(await send(new Uint8Array(5_000_001)))).toMatchObject({ status: 413 });
      expect(await sendChunks(server, 80, 65_536)).toContain('HTTP/1.1 413 ');
    });

    test('a streamed response has the media type that Accept prefers, and an item for each entry', async () => {
      await server.addNote();
      const lines = await server.ask('/export', { headers: { accept: 'application/x-ndjson' } });
      const notes = (await lines.text()).trimEnd().split('\n');
      expect(notes.map((line) => JSON.parse(line)).every(({ id }) => id > 0)).toBe(true);
      const csv = await server.ask('/export', { headers: { accept: 'text/csv, application/x-ndjson;q=0.1' } });
      expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect((await csv.text()).trimEnd().split('\n')).toHaveLength(notes.length + 1);
      const refused = await errorOf(await server.ask('/export', { headers: { accept: 'image/png' } }));
      expect(refused).toMatchObject({
        status: 406,
        code: 'not_acceptable',
        message: expect.stringContaining('text/csv'),
      });
      const head = await server.ask('/export?count=1000000', { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    });

    test('a public operation needs no key, ignores one if sent, and counts by IP address', async () => {
      for (const key of [null, 'invalid', server.key]) {
        const response = await server.ask('/about', { key });
        expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, '60']);
        expect(response.headers.get('cache-control')).toBe('public, max-age=60');
      }
    });

    test('the server releases everything when a caller disconnects in the middle of a stream', async () => {
      await server.addNote();
      const before = openDescriptors(server.pid);
      for (const path of ['/export?count=1000000', '/events']) {
        for (let count = 0; count < 10; count += 1) await leaveInTheMiddle(server, path);
      }
      await eventually(
        () => openDescriptors(server.pid) <= before + 1,
        () => `${openDescriptors(server.pid)} descriptors are open, ${before} before`,
      );
    });

    test('the duration of a stream does not count as the duration of its request', async () => {
      const metrics = /metrics +(http:\S+)/.exec(server.output())?.[1] ?? '';
      const read = async () => (await fetch(metrics)).text();
      const figure = async (name: string) =>
        Number(
          (await read())
            .split('\n')
            .find((line) => line.startsWith(name))
            ?.split(' ')[1] ?? 0,
        );
      const figures = async () => ({
        count: await figure('second_contract_stream_duration_seconds_count{operation="watchNotes"}'),
        streams: await figure('second_contract_stream_duration_seconds_sum{operation="watchNotes"}'),
        requests: await figure('second_contract_request_duration_seconds_sum{operation="watchNotes",status="200"}'),
      });
      const before = await figures();
      const askedAt = performance.now();
      const response = await server.ask('/events');
      const waited = performance.now() - askedAt;
      await setTimeout(2_500);
      await response.body?.cancel();
      const isCounted = async () => (await figures()).count > before.count;
      await eventually(isCounted, server.output.bind(server));
      const after = await figures();
      expect(after.streams - before.streams).toBeGreaterThan(2);
      // The headers are sent with the first comment, and the duration of the request ends there.
      expect(after.requests).toBeGreaterThan(before.requests);
      expect((after.requests - before.requests) * 1_000).toBeLessThanOrEqual(waited);
    });

    test('a stream counts as one request', async () => {
      const remaining = async (path: string) => {
        const response = await server.ask(path);
        await response.text();
        return response.headers;
      };
      // Try again if a minute ends in between.
      for (let left = 3; left > 0; left -= 1) {
        const [first, second] = [await remaining('/export?count=200'), await remaining('/notes')];
        if (first.get('x-ratelimit-reset') !== second.get('x-ratelimit-reset')) continue;
        expect(Number(first.get('x-ratelimit-remaining')) - Number(second.get('x-ratelimit-remaining'))).toBe(1);
        return;
      }
      throw new Error('A minute ended in each of three tries.');
    });

    test('the server does not buffer a stream that its caller does not read', async () => {
      await server.addNote();
      const streams = await Promise.all(Array.from({ length: 10 }, () => openUnread(server, '/export?count=1000000')));
      const before = residentBytes(server.pid);
      // Memory grows until the buffers of the operating system are full, and then no more.
      const isStable = async () => {
        const earlier = residentBytes(server.pid);
        await setTimeout(1_000);
        return residentBytes(server.pid) - earlier < 2_000_000;
      };
      await eventually(isStable, () => 'memory keeps growing');
      expect(residentBytes(server.pid) - before).toBeLessThan(200_000_000);
      for (const stream of streams) stream.destroy();
    });

    test('a request behind a stream that ends its connection is not carried out', async () => {
      const { id } = await server.addNote();
      const lines = (method: string, path: string) =>
        `${method} /v1${path} HTTP/1.0\r\nAuthorization: Bearer ${server.key}\r\nConnection: keep-alive\r\n\r\n`;
      const socket = openSocket(server.url).on('error', () => {});
      socket.write(lines('GET', '/export?count=3') + lines('DELETE', `/notes/${id}`));
      let text = '';
      for await (const chunk of socket) text += chunk;
      expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 200']);
      expect((await server.ask(`/notes/${id}`)).status).toBe(200);
    });

    test('a stop ends event streams at once, although their callers are still connected', async () => {
      const stream = await openUnread(server, '/events');
      // Otherwise it would last for DRAIN_SECONDS, which is an hour. Expects that the process ends with 0.
      await server.stop();
      stream.destroy();
    });
  });
}

describeSecondContract('SQLite', () => `sqlite:${join(folder, `second-${process.pid}.db`)}`);
// With more connections the pool would close idle ones after 10 seconds, and the test of descriptors would wait for that.
describeOnPostgres('second contract', (postgres) =>
  describeSecondContract('PostgreSQL', async () => `${await postgres.freshUrl()}&pool_size=2`),
);

/** Sends a chunked body without an announced length. Resolves to the beginning of the response. */
async function sendChunks(server: SecondServer, count: number, size: number): Promise<string> {
  const socket = openSocket(server.url).on('error', () => {});
  socket.write(
    `POST /v1/archives HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), Buffer.alloc(size), Buffer.from('\r\n')]);
  for (let sent = 0; sent < count; sent += 1) socket.write(chunk);
  const [first] = await once(socket, 'data');
  socket.destroy();
  return String(first);
}

async function leaveInTheMiddle(server: SecondServer, path: string): Promise<void> {
  const controller = new AbortController();
  const response = await fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${server.key}` },
    signal: controller.signal,
  });
  await response.body?.getReader().read();
  controller.abort();
}

async function openUnread(server: SecondServer, path: string): Promise<{ destroy: () => void }> {
  const sent = request(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${server.key}` },
    agent: false,
  }).end();
  const [response] = await once(sent, 'response');
  response.pause();
  return sent;
}

function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

function residentBytes(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}
