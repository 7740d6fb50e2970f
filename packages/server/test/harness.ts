import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operations as facts, type OperationId, type Plan } from '@animal-store/contract';
import { pino } from 'pino';
import { type Config, readConfig } from '../../service/src/config/config.ts';
import type { Route } from '../../service/src/contract/compiled-contract.ts';
import { createResponseCheck } from '../../service/src/contract/response-check.ts';
import { type RunningServer, type ServerParts, startServer } from '../../service/src/start.ts';
import { api } from '../src/operations/api.ts';
import { operations } from '../src/operations/index.ts';
import type { Operations } from '../src/operations/operation.ts';
import type { PetStore } from '../src/operations/storage/store.ts';
import { compiled, routeOf } from './contract.ts';

/** The parts of a call that a test specifies. */
export type CallParts = {
  path?: Record<string, string | number>;
  query?: Record<string, string | number> | string;
  /** Sent as JSON; a string or bytes are sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The API key; null sends none; default: the server's own test key. */
  key?: string | null;
  method?: string;
};

export type TestResponse = {
  status: number;
  headers: Headers;
  text: string;
  /** The body read as JSON; undefined for any other media type. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: any;
};

export type TestServer = {
  url: string;
  /** A business-plan key, so that tests that are not about quotas never exceed one. */
  key: string;
  /** The time as the server sees it, in Unix milliseconds; tests may set it. */
  clock: { now: number };
  keys: RunningServer['keys'];
  /** The port of the metrics; undefined if they are off. */
  metricsPort: number | undefined;
  createKey: (plan?: Plan) => Promise<string>;
  call: (id: OperationId, parts?: CallParts) => Promise<TestResponse>;
  /** The log so far, as text. */
  log: () => string;
  /** Stops the server, as a signal does. Resolves when it has stopped. */
  stop: () => Promise<void>;
  /** `await using` stops the server even if the test fails. */
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** A Tuesday at noon, ten seconds into the minute, so that no window ends during a test by chance. */
export const NOON = Date.parse('2026-12-01T12:00:10Z');

export type TestOptions = Partial<Omit<ServerParts<PetStore>, 'operations' | 'config' | 'log' | 'clock'>> & {
  operations?: Operations;
  config?: Partial<Config>;
  /** A database that outlives the server; see temporaryDatabase. */
  databaseUrl?: string;
  /** The server's time at its start. */
  now?: number;
};

/** A database file in a separate folder, for several servers. */
export async function temporaryDatabase(): Promise<{ url: string; path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
  const path = join(folder, 'store.db');
  return { url: `sqlite:${path}`, path, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Starts the real server on a free port, with a new database file unless one is given. */
export async function startTestServer({
  config,
  databaseUrl,
  now = NOON,
  timeouts,
  ...parts
}: TestOptions = {}): Promise<TestServer> {
  const own = databaseUrl === undefined ? await temporaryDatabase() : undefined;
  const url = databaseUrl ?? own?.url ?? '';
  const clock = { now };
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
  const settings = { ...readConfig({ NODE_ENV: 'test', PORT: '0', DATABASE_URL: url }), ...config };
  // Connections of `fetch` are idle after a test, so a stop need not wait for a last request on them.
  const ownTimeouts = { lastRequest: 0, ...timeouts };
  const server = await startServer({
    ...{ service: api, config: settings, log, clock: () => clock.now },
    ...parts,
    timeouts: ownTimeouts,
  });
  const createKey = async (plan: Plan = 'business') => (await server.keys.create({ plan })).secret;
  const key = await createKey();
  const base = `http://127.0.0.1:${server.port}`;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= server.stop().then(() => own?.remove());
    return stopped;
  };
  return {
    url: base,
    key,
    clock,
    keys: server.keys,
    metricsPort: server.metricsPort,
    createKey,
    call: (id, call = {}) => callOperation(base, key, id, call),
    log: () => lines.join(''),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Starts a server whose listPets waits until `answer` is called. */
export async function startSlowServer(options: TestOptions = {}): Promise<TestServer & { answer: () => void }> {
  const gate = Promise.withResolvers<void>();
  const listPets: typeof operations.listPets = async (call) => {
    await gate.promise;
    return operations.listPets(call);
  };
  const server = await startTestServer({ ...options, operations: { ...operations, listPets } });
  return { ...server, answer: gate.resolve };
}

/** Calls an operation over HTTP, and records the status for the check that every documented response is tested. */
export async function callOperation(
  base: string,
  defaultKey: string,
  id: OperationId,
  parts: CallParts,
): Promise<TestResponse> {
  const { method = facts[id].method, key = defaultKey, body, headers = {} } = parts;
  const response = await fetch(urlOf(base, id, parts), {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': mediaTypeOf(id) }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (method === facts[id].method) recordResponse(id, response.status, response.headers, text);
  const isJson = text !== '' && /[/+]json$/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** The first media type of the request body of an operation. */
export function mediaTypeOf(id: OperationId): string {
  return Object.keys(facts[id].requestBody?.mediaTypes ?? {})[0] ?? 'application/json';
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/** The URL of an operation on a server. */
export function urlOf(base: string, id: OperationId, { path = {}, query = '' }: CallParts): string {
  const filled = facts[id].path.replace(/\{([^}]+)\}/g, (_, name: string) => String(path[name]));
  const search = typeof query === 'string' ? query : new URLSearchParams(mapValues(query)).toString();
  return `${base}/v1${filled}${search === '' ? '' : `?${search}`}`;
}

function mapValues(query: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

const { check } = createResponseCheck(compiled);

/** Checks a response against the contract, from outside the server. Throws if they differ. */
export function checkResponse(route: Route, status: number, headers: Headers, text: string): void {
  const ofContract = [...headers].filter(([name]) => !connectionHeaders.has(name));
  const contentType = headers.get('content-type')?.split(';')[0];
  // A stream without items has an empty body, and a media type.
  const body = text === '' && contentType === undefined ? undefined : text;
  check(route, { status, headers: {}, body, contentType }, Object.fromEntries(ofContract));
}

/** Checks a response, and records that a test received it from this operation. */
export function recordResponse(id: OperationId, status: number, headers: Headers, text: string): void {
  checkResponse(routeOf(id), status, headers, text);
  const file = process.env['CONTRACT_FIRST_SEEN_RESPONSES'];
  const pair = `${id} ${status}`;
  if (file === undefined || recorded.has(pair)) return;
  recorded.add(pair);
  appendFileSync(file, `${pair}\n`);
}

/** The responses that this test file has already recorded, so that each is written only once. */
const recorded = new Set<string>();

/** Headers that belong to the connection, not to the response. */
const connectionHeaders = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding']);

/** A value for Idempotency-Key. */
export function newIdempotencyKey(): string {
  return randomUUID();
}
