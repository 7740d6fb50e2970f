import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The parts of a call that a test specifies. */
export type CallParts = {
  path?: Record<string, string | number>;
  query?: Record<string, string | number> | string;
  /** Sent as JSON, or as a form, with texts as the content of its files; a string or bytes are sent unchanged. */
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
  access: string;
  security: readonly Readonly<Record<string, readonly string[]>>[];
  idempotent: boolean;
  deprecation: { sunset: string } | null;
  /** The errors in a form of the contract, by status or range. */
  errors?: object;
  /** Whether the caller chooses the media type of the response. */
  negotiates: boolean;
  requestBody: {
    mediaTypes: Readonly<
      Record<
        string,
        {
          kind: string;
          maxBytes: number;
          fields?: Readonly<Record<string, { types: readonly string[]; file?: readonly string[] }>>;
        }
      >
    >;
  } | null;
};

/** A security scheme of a contract, by its `type`; `name` is the header of an `apiKey`. */
export type SecurityScheme = { type: string; name?: string };

/** The generated constants of an API. */
export type ApiFacts<Id extends string> = {
  operations: Readonly<Record<Id, OperationFacts>>;
  /** How callers send their credentials. Default: a key as `Authorization: Bearer`. */
  securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Such as `/v1`. */
  basePath: string;
  /** The plan of test keys, which should allow more requests than a test sends; absent if the API has no plans. */
  plan?: string;
  /** Called for each response to an operation with its own method. May throw if the response is wrong. */
  onResponse?: (id: Id, response: TestResponse) => void;
};

/** A key to create. */
export type TestKey = { plan?: string; scope?: string; perMinute?: number; perDay?: number };

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
  }).catch(async (error) => {
    await own?.remove();
    throw error;
  });
  const createKey = async (plan = api.plan) => (await running.keys.create(plan === undefined ? {} : { plan })).secret;
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
  const sent = body === undefined ? undefined : encoded(facts, body);
  const response = await fetch(urlOf(api, url, id, parts), {
    method,
    headers: {
      ...credentialsOf(api, id, key),
      // `fetch` adds the media type of a multipart form with its boundary.
      ...(sent === undefined || sent instanceof FormData ? {} : { 'content-type': contentTypeOf(facts) }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const received = readResponse(response.status, response.headers, await response.text());
  if (method === facts.method) api.onResponse?.(id, received);
  return received;
}

/** The header with a key as the credentials of an operation, in lower case. */
export function credentialsOf<Id extends string>(
  { operations, securitySchemes = {} }: Pick<ApiFacts<Id>, 'operations' | 'securitySchemes'>,
  id: Id,
  key: string | null,
): Record<string, string> {
  if (key === null) return {};
  const security: OperationFacts['security'] = operations[id].security;
  const [name = ''] = security.flatMap(Object.keys);
  const { type, name: header = '' } = securitySchemes[name] ?? {};
  return type === 'apiKey' ? { [header.toLowerCase()]: key } : { authorization: `Bearer ${key}` };
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

/** The Content-Type of a body that is sent unchanged. */
export function contentTypeOf(facts: OperationFacts): string {
  const type = mediaTypeOf(facts);
  return type.startsWith('multipart/') ? `${type}; boundary=boundary` : type;
}

type Encoded = string | Uint8Array<ArrayBuffer> | FormData | URLSearchParams;

function encoded(facts: OperationFacts, body: unknown): Encoded {
  if (isRaw(body)) return body;
  const type = mediaTypeOf(facts);
  const { kind = 'json', fields = {} } = facts.requestBody?.mediaTypes[type] ?? {};
  if (kind !== 'form') return JSON.stringify(body);
  const form = type.startsWith('multipart/') ? new FormData() : new URLSearchParams();
  const isFile = (name: string) => fields[name]?.file !== undefined;
  // Files come last, because a server may read them as a stream.
  for (const [name, value] of Object.entries(Object(body)).sort(([a], [b]) => Number(isFile(a)) - Number(isFile(b)))) {
    for (const one of [value].flat()) {
      const text = typeof one === 'object' ? JSON.stringify(one) : String(one);
      const [range = ''] = fields[name]?.file ?? [];
      if (isFile(name) && form instanceof FormData)
        form.append(name, new Blob([text], { type: range.replace('*', 'x') }));
      else form.append(name, text);
    }
  }
  return form;
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
  const values = Object.entries(typeof query === 'string' ? {} : query).map(([name, value]) => [name, `${value}`]);
  const search = typeof query === 'string' ? query : `${new URLSearchParams(values)}`;
  return `${url}${basePath}${filled}${search === '' ? '' : `?${search}`}`;
}
