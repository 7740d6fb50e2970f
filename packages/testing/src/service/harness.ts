import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** The constants of an operation that the generated code has, as far as calls need them. */
export type OperationFacts = {
  method: string;
  path: string;
  access: 'public' | 'read' | 'write';
  idempotent: boolean;
  /** Whether the caller chooses the media type of the response. */
  negotiates: boolean;
  requestBody: { mediaTypes: Readonly<Record<string, { kind: string; maxBytes: number }>> } | null;
};

/** The generated constants of an API. */
export type ApiFacts<Id extends string> = {
  operations: Readonly<Record<Id, OperationFacts>>;
  /** Such as `/v1`. */
  basePath: string;
  /** The plan of test keys, which should allow more requests than a test sends. */
  plan: string;
  /** Called for each response to an operation with its own method. May throw if the response is wrong. */
  onResponse?: (id: Id, response: TestResponse) => void;
};

/** A key to create. */
export type TestKey = { plan: string; scope?: string; perMinute?: number; perDay?: number };

/** A server in this process, such as that of `startServer`. */
export type RunningService = {
  port: number;
  keys: { create: (key: TestKey) => Promise<{ secret: string }> };
  stop: () => Promise<unknown>;
};

/** What a server is started with. */
export type ServiceSetup = {
  databaseUrl: string;
  /** The time, which the test may set. */
  clock: () => number;
  /** The destination of the log. */
  write: (line: string) => void;
};

export type TestServer<Id extends string, Running extends RunningService = RunningService> = {
  url: string;
  /** A key of the plan for tests, so that tests that are not about quotas never exceed one. */
  key: string;
  /** The time as the server sees it, in Unix milliseconds; tests may set it. */
  clock: { now: number };
  keys: Running['keys'];
  createKey(plan?: string): Promise<string>;
  call: (id: Id, parts?: CallParts) => Promise<TestResponse>;
  /** The log so far, as text. */
  log: () => string;
  /** Stops the server, as a signal does. Resolves when it has stopped. */
  stop: () => Promise<void>;
  /** `await using` stops the server even if the test fails. */
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** A Tuesday at noon, ten seconds into the minute, so that no window ends during a test by chance. */
export const NOON = Date.parse('2026-12-01T12:00:10Z');

/** A database file in a separate folder, for several servers. */
export async function temporaryDatabase(): Promise<{ url: string; path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  const path = join(folder, 'store.db');
  return { url: `sqlite:${path}`, path, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Starts a server in this process, with a new database file unless one is given.
 *
 * @param start starts it on a free port of loopback
 */
export async function startForTest<Id extends string, Running extends RunningService>(
  api: ApiFacts<Id>,
  start: (setup: ServiceSetup) => Promise<Running>,
  { databaseUrl, now = NOON }: { databaseUrl?: string | undefined; now?: number | undefined } = {},
): Promise<{ running: Running; server: TestServer<Id, Running> }> {
  const own = databaseUrl === undefined ? await temporaryDatabase() : undefined;
  const clock = { now };
  const lines: string[] = [];
  const running = await start({
    databaseUrl: databaseUrl ?? own?.url ?? '',
    clock: () => clock.now,
    write: (line) => void lines.push(line),
  });
  const createKey = async (plan = api.plan) => (await running.keys.create({ plan })).secret;
  // Twice: on a busy machine, the first connection may take longer than a server waits for one.
  const key = await createKey().catch(() => createKey());
  const url = `http://127.0.0.1:${running.port}`;
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= running.stop().then(() => own?.remove());
    return stopped;
  };
  const server = {
    url,
    key,
    clock,
    keys: running.keys,
    createKey,
    call: (id: Id, parts: CallParts = {}) => callOperation(api, url, key, id, parts),
    log: () => lines.join(''),
    stop,
    [Symbol.asyncDispose]: stop,
  };
  return { running, server };
}

/** Calls an operation over HTTP. */
export async function callOperation<Id extends string>(
  api: ApiFacts<Id>,
  url: string,
  defaultKey: string,
  id: Id,
  parts: CallParts,
): Promise<TestResponse> {
  const facts: OperationFacts = api.operations[id];
  const { method = facts.method, key = defaultKey, body, headers = {} } = parts;
  const response = await fetch(urlOf(api, url, id, parts), {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': mediaTypeOf(facts) }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
  });
  const received = readResponse(response.status, response.headers, await response.text());
  if (method === facts.method) api.onResponse?.(id, received);
  return received;
}

/** A response with its body read. */
export function readResponse(status: number, headers: Headers, text: string): TestResponse {
  const isJson = text !== '' && /[/+]json$/.test(headers.get('content-type') ?? '');
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** The first media type of the request body of an operation. */
export function mediaTypeOf({ requestBody }: OperationFacts): string {
  return Object.keys(requestBody?.mediaTypes ?? {})[0] ?? 'application/json';
}

function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/** The URL of an operation on a server. */
export function urlOf<Id extends string>(
  { operations, basePath }: ApiFacts<Id>,
  url: string,
  id: Id,
  { path = {}, query = '' }: CallParts,
): string {
  const filled = operations[id].path.replace(/\{([^}]+)\}/g, (_, name: string) => String(path[name]));
  const values = typeof query === 'string' ? query : Object.entries(query).map(([name, value]) => [name, `${value}`]);
  const search = new URLSearchParams(values).toString();
  return `${url}${basePath}${filled}${search === '' ? '' : `?${typeof query === 'string' ? query : search}`}`;
}
