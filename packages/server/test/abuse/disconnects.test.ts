import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '../../../testing/src/child.ts';
import { openSocket } from '../../../testing/src/service/wire.ts';
import { contractDocument } from '../contract.ts';
import { fuzzedOperations } from '../fuzz/contract.ts';
import { toHttp, validRequests } from '../fuzz/request.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { metrics: { host: '127.0.0.1', port: 0 } } });
});
afterAll(() => server.stop());

/** A request as bytes, which may be cut anywhere. */
function rawRequest(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: a', ...headers, '', body].join('\r\n');
}

/** One request to each operation that is valid by contract, as bytes. It need not succeed. */
function requestPerOperation(key: string): string[] {
  return fuzzedOperations(contractDocument).flatMap((operation) =>
    fc.sample(validRequests(operation, new Map()), { numRuns: 1, seed: 1 }).map((parts) => {
      const { method, target, headers, body = '' } = toHttp(operation, parts);
      const text = Buffer.from(body).toString('latin1');
      const length = text === '' ? [] : [`Content-Length: ${text.length}`];
      const lines = headers.map(([name, value]) => `${name}: ${value}`);
      return rawRequest(`${method} ${target}`, [`Authorization: Bearer ${key}`, ...lines, ...length], text);
    }),
  );
}

/** Sends some bytes of a request, and resets the connection. */
async function sendAndReset(bytes: string): Promise<void> {
  const socket = openSocket(server.url);
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  await new Promise((resolve) => socket.write(bytes, 'latin1', resolve));
  socket.resetAndDestroy();
}

/** A request at several lengths: within the request line, the headers and the body, and complete. */
function cut(request: string): string[] {
  const body = request.indexOf('\r\n\r\n') + 4;
  const lengths = [1, 10, body - 20, body - 2, body, body + 1, request.length - 1, request.length];
  return [...new Set(lengths)].map((length) => request.slice(0, length));
}

/** The open sockets and files of this process. */
function descriptors(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

const paths = ['/docs/', '/docs/nothing', '/docs/index.md', '/openapi.yaml', '/openapi.json', '/readyz', '/nothing'];

test('no caller that disconnects early causes a 500, an error in the log or a descriptor that stays open', async () => {
  const pages = paths.map((path) => rawRequest(`GET ${path}`));
  const requests = [...pages, ...requestPerOperation(server.key)];
  await server.call('listPets');
  const before = descriptors();
  // Complete requests several times: only some disconnects happen while the response is prepared.
  const repeated = Array.from({ length: 20 }, () => requests).flat();
  for (const bytes of [...requests.flatMap(cut), ...repeated]) await sendAndReset(bytes);
  await eventually(
    () => descriptors() <= before,
    () => `${descriptors()} descriptors are open, and ${before} were`,
  );
  const errors = server.log().match(/^.*("level":50|"status":500).*$/gm);
  expect(errors).toBeNull();
  const metrics = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
  expect(metrics).toContain('status="499"');
  expect(metrics).not.toContain('status="500"');
});
