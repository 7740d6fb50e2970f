import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { StorageUnavailableError } from '../../service/src/storage/storage.ts';
import { waitLong } from '../../service/src/storage/suite/notes.ts';
import { eventually } from '../../testing/src/child.ts';
import { describeOnPostgres } from '../../testing/src/postgres/in-tests.ts';
import { openSocket, sendBytes } from '../../testing/src/service/wire.ts';
import { operations } from '../src/operations/index.ts';
import { openStorage } from '../src/operations/storage/index.ts';
import { startTestServer, type TestOptions } from './harness.ts';

const metrics = { host: '127.0.0.1', port: 0 };

async function startWithMetrics(options: TestOptions = {}) {
  const server = await startTestServer({ ...options, config: { ...options.config, metrics } });
  const url = `http://127.0.0.1:${server.metricsPort}/metrics`;
  const read = async () => (await fetch(url)).text();
  return { server, url, read, [Symbol.asyncDispose]: server.stop };
}

/** The value of one line, such as `name{label="x"} 3`. */
function figure(text: string, name: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

function countOf(text: string, operation: string, status: number): number | undefined {
  return figure(text, `animal_store_request_duration_seconds_count{operation="${operation}",status="${status}"}`);
}

describe('on their own listener', () => {
  test('requests are counted by operation and status, refusals by code', async () => {
    await using running = await startWithMetrics();
    const { server, read } = running;
    await server.call('listPets');
    await server.call('listPets', { query: { limit: 0 } });
    await server.call('listPets', { key: null });
    await server.call('getPet', { path: { petId: 7 } });
    await fetch(`${server.url}/v1/nowhere`);
    await fetch(`${server.url}/v1/pets`, { method: 'DELETE' });
    await fetch(`${server.url}/healthz`);
    const text = await read();
    expect(countOf(text, 'listPets', 200)).toBe(1);
    expect(countOf(text, 'listPets', 400)).toBe(1);
    expect(countOf(text, 'listPets', 401)).toBe(1);
    expect(countOf(text, 'getPet', 404)).toBe(1);
    expect(countOf(text, 'page', 200)).toBe(1);
    expect(countOf(text, 'unknown', 401)).toBe(1);
    expect(figure(text, 'animal_store_refusals_total{code="invalid_request"}')).toBe(1);
    expect(figure(text, 'animal_store_refusals_total{code="pet_not_found"}')).toBe(1);
    expect(figure(text, 'animal_store_storage_up')).toBe(1);
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds ');
  });

  test('requests that Node refuses before the app sees them are counted and logged, with their code', async () => {
    // Long enough for the headers of the last request on a busy machine.
    const timeouts = { headers: 1_000, request: 1_000 };
    await using running = await startWithMetrics({ timeouts });
    const { server, read } = running;
    const authorization = `Authorization: Bearer ${server.key}`;
    const before = `POST /v1/pets HTTP/1.1\r\nHost: a\r\n${authorization}\r\nContent-Type: application/json\r\n`;
    await sendBytes(server.url, 'nonsense\r\n\r\n');
    await sendBytes(server.url, `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`);
    await sendBytes(server.url, 'GET / HTTP/1.1\r\n');
    await sendBytes(server.url, 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n');
    await sendBytes(server.url, `${before}Content-Length: 9\r\n\r\n{`);
    const text = await read();
    expect([400, 405, 408, 431].map((status) => countOf(text, 'unreadable', status))).toEqual([1, 1, 1, 1]);
    expect(countOf(text, 'createPet', 408)).toBe(1);
    expect(figure(text, 'animal_store_refusals_total{code="request_timeout"}')).toBe(2);
    expect(figure(text, 'animal_store_refusals_total{code="malformed_http"}')).toBe(1);
    const lines = server
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ operation, status, code }) => [operation, status, code])).toEqual([
      ['unreadable', 400, 'malformed_http'],
      ['unreadable', 431, 'headers_too_large'],
      ['unreadable', 408, 'request_timeout'],
      ['unreadable', 405, 'method_not_allowed'],
      ['createPet', 408, 'request_timeout'],
    ]);
    expect(lines.map(({ requestId }) => requestId)).toEqual(Array(5).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
  });

  test('every queue is shown with its limit, and requests that a full queue refuses are counted', async () => {
    await using running = await startWithMetrics({ config: { maxConnections: 2 } });
    const { server, read } = running;
    const sockets = await Promise.all([0, 1].map(() => openSocket(server.url)));
    const third = await openSocket(server.url);
    await once(third, 'close');
    const text = await read();
    expect(figure(text, 'animal_store_queue_length{queue="connections"}')).toBe(2);
    expect(figure(text, 'animal_store_shed_requests_total{reason="connections"}')).toBe(1);
    const limits = [...text.matchAll(/^animal_store_queue_limit\{queue="(\w+)"\} (\d+)$/gm)];
    expect(Object.fromEntries(limits.map(([, queue, limit]) => [queue, Number(limit)]))).toEqual({
      connections: 2,
      operations: 1_000,
      storage_writes: 500,
    });
    for (const socket of sockets) socket.destroy();
  });

  test('dropped log lines are counted', async () => {
    await using running = await startWithMetrics({ droppedLines: () => 7 });
    const text = await running.read();
    expect(figure(text, 'animal_store_log_lines_dropped_total')).toBe(7);
  });

  test('nothing that a caller sends becomes a label', async () => {
    await using running = await startWithMetrics();
    const { server, read } = running;
    await fetch(`${server.url}/v1/secret-word?api_key=secret-word`, { method: 'PUT' });
    await server.call('listPets', { headers: { 'x-request-id': 'secret-word' } });
    const text = await read();
    expect(text).not.toContain('secret-word');
    expect(text).not.toMatch(/\bkey_[0-9A-Za-z]{16}\b/);
    expect(text).not.toContain(server.key);
  });

  test('a storage that does not answer is reported as 0, and all other metrics are still there', async () => {
    const storage = await openStorage('sqlite::memory:');
    const failing = { ...storage, ping: () => Promise.reject(new StorageUnavailableError('away')) };
    await using running = await startWithMetrics({ storage: failing, operations });
    const text = await running.read();
    expect(figure(text, 'animal_store_storage_up')).toBe(0);
    expect(text).toContain('process_resident_memory_bytes ');
  });

  test('the listener serves nothing else, and not the API', async () => {
    await using running = await startWithMetrics();
    const { server, url } = running;
    expect((await fetch(url)).headers.get('content-type')).toMatch(/^text\/plain; version=/);
    expect((await fetch(url.replace('/metrics', '/v1/pets'))).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });
});

describeOnPostgres('with PostgreSQL', (postgres) => {
  test('the metrics show that calls wait for a connection', async () => {
    using _ = waitLong();
    const databaseUrl = await postgres.freshUrl();
    await using running = await startWithMetrics({ databaseUrl });
    const { server, read } = running;
    const create = () => server.call('createPet', { body: { name: 'Rex', categoryId: 3 } });
    expect((await create()).status).toBe(201);
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE pets IN ACCESS EXCLUSIVE MODE');
    const calls: ReturnType<typeof create>[] = [];
    let busy = '';
    await eventually(
      async () => {
        calls.push(create(), server.call('deletePet', { path: { petId: 1 } }));
        busy = await read();
        const lengthOf = (queue: string) => figure(busy, `animal_store_queue_length{queue="${queue}"}`) ?? 0;
        const used = figure(busy, 'animal_store_postgres_connections{state="used"}') ?? 0;
        return used >= 4 && lengthOf('storage_transactions') > 0 && lengthOf('storage_writes') > 0;
      },
      () => 'No call waits for a connection.',
    );
    expect(figure(busy, 'animal_store_postgres_connections{state="limit"}')).toBe(8);
    await other.query('ROLLBACK');
    await other.end();
    await Promise.all(calls);
    const text = await read();
    expect(figure(text, 'animal_store_shared_counts_total{result="answered"}')).toBeGreaterThan(0);
  });
});
