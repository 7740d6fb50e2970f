import { createHash } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { api } from '../../src/operations/api.ts';
import { sandboxOperations } from '../../src/operations/sandbox.ts';
import { startTestServer, temporaryDatabase } from '../harness.ts';
import type { FuzzedOperation } from './contract.ts';
import { type GivenValues, type HttpRequest, opaqueParameters, toHttp } from './request.ts';

/** A server that is fuzzed. */
export type Target = {
  /** A key whose quota is never exceeded. */
  key: string;
  /** A key with the scope read. */
  readKey: string;
  send: (request: HttpRequest, sender: Sender) => Promise<HttpResponse>;
  /** A text that stays the same only if nothing was written. */
  snapshot: () => string;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const UNLIMITED = 1_000_000_000;

/** The real server with a new database file, and a client for it. Operations that control a sandbox need sandboxes. */
export async function startTargetFor(operation: string): Promise<Target> {
  const database = await temporaryDatabase();
  const config = { trustProxy: 1, sandboxes: sandboxOperations.some((id) => id === operation) };
  // Without jobs, because the snapshots would see what they write.
  const server = await startTestServer({ databaseUrl: database.url, config, service: { ...api, jobs: {} } });
  const limits = { perMinute: UNLIMITED, perDay: UNLIMITED };
  const { secret: key } = await server.keys.create({ plan: 'enterprise', ...limits });
  const reading = { plan: 'enterprise', scope: 'read', ...limits } as const;
  const { secret: readKey } = await server.keys.create(reading);
  const client = createClient(server.url);
  const snapshots = openSnapshots(database.path);
  return {
    key,
    readKey,
    send: client.send,
    snapshot: snapshots.take,
    [Symbol.asyncDispose]: async () => {
      client.close();
      snapshots.close();
      await server.stop();
      await database.remove();
    },
  };
}

/**
 * Adds the contract's examples to a server a few times, so that requests find data. Also collects values that only the
 * API can assign, such as the cursor in the `Link` of the fuzzed operation, which no other operation accepts.
 */
export async function prepare(
  target: Pick<Target, 'send' | 'key'>,
  operations: readonly FuzzedOperation[],
  fuzzed: FuzzedOperation,
): Promise<GivenValues> {
  const call = (operation: FuzzedOperation, query: [string, string][], example?: unknown, contentType?: string) => {
    const { method } = operation;
    const body = contentType === undefined ? undefined : { json: example };
    const request = toHttp(operation, { method, path: {}, query, headers: [], body, contentType });
    return target.send(request, { key: target.key });
  };
  const plain = operations.filter(({ parameters }) => !parameters.some(({ required }) => required));
  for (let round = 1; round <= 3; round += 1) {
    for (const operation of plain) {
      for (const { type, examples } of operation.body?.media ?? []) {
        for (const example of examples) await call(operation, [], example, type);
      }
    }
  }
  const given = new Map<string, string[]>();
  if (fuzzed.method !== 'GET' || !plain.includes(fuzzed)) return given;
  const isPaged = fuzzed.parameters.some(({ name }) => name === 'limit');
  if (!isPaged) return given;
  const { headers } = await call(fuzzed, [['limit', '1']]);
  for (const [name, value] of nextPage(headers)) {
    const where = `query/${name}`;
    if (opaqueParameters.has(where)) given.set(where, [value]);
  }
  return given;
}

function nextPage(headers: Headers): [name: string, value: string][] {
  const [, url] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  return url === undefined ? [] : [...new URL(url).searchParams];
}

export type HttpResponse = {
  status: number;
  headers: Headers;
  /** The body as UTF-8. */
  text: string;
};

/** The caller of a request: an API key, an IP address without a key, or a key at an address. */
export type Sender = { key?: string; address?: string };

/**
 * An HTTP client that reuses its connections. Uses node:http, because `fetch` refuses some of the methods and headers to
 * test.
 */
function createClient(url: string) {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(url);

  function send(request: HttpRequest, sender: Sender): Promise<HttpResponse> {
    const { method, target, headers, body, padding, isChunked = false } = request;
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({ agent, hostname, port, method, path: target });
      // Replaces Node's own value if there is one, instead of appending.
      for (const [name, value] of headers)
        outgoing.hasHeader(name) ? outgoing.setHeader(name, value) : outgoing.appendHeader(name, value);
      if (sender.key !== undefined) outgoing.setHeader('Authorization', `Bearer ${sender.key}`);
      // Callers without a key have a quota per address, which is not tested here.
      if (sender.address !== undefined) outgoing.setHeader('X-Forwarded-For', sender.address);
      let hasAnswered = false;
      outgoing.on('error', (cause) => {
        if (!hasAnswered) reject(new Error(`${method} ${target} got no response: ${cause.message}.`, { cause }));
      });
      outgoing.on('response', (incoming) => {
        hasAnswered = true;
        const { statusCode: status = 0 } = incoming;
        text(incoming).then((body) => resolve({ status, headers: headersOf(incoming), text: body }), reject);
      });
      const bytes = withPadding(body, padding);
      if (isChunked) outgoing.flushHeaders();
      // Node sends no Content-Length for methods that usually have no body, such as HEAD.
      else if (bytes !== undefined) outgoing.setHeader('Content-Length', Buffer.byteLength(bytes));
      outgoing.end(bytes);
    });
  }

  return { send, close: () => agent.destroy() };
}

function withPadding(body: HttpRequest['body'], padding: HttpRequest['padding']): string | Uint8Array | undefined {
  return padding === undefined ? body : Buffer.concat([Buffer.from(body ?? ''), Buffer.alloc(padding, ' ')]);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  }
  return headers;
}

/** The tables about callers, which refused requests change as well: some at once, others within ten seconds. */
const tablesOfCallers = new Set(['keys', 'secrets', 'usage']);

/** Reads a database file while the server uses it. */
function openSnapshots(file: string): { take: () => string; close: () => void } {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !tablesOfCallers.has(name));
  const statements = tables.map((table) => database.prepare(`SELECT * FROM "${table}"`));

  /** A hash of every row that requests can add or change. It stays the same only if nothing was written. */
  function take(): string {
    const hash = createHash('sha256');
    for (const statement of statements) {
      statement.setReturnArrays(true);
      hash.update(JSON.stringify(statement.all()));
    }
    return hash.digest('hex');
  }

  return { take, close: () => database.close() };
}
