/**
 * Sandboxes: on a test server, each key has data, quotas and a clock of its own. A sandbox is an app of the service with other parts, in
 * the memory of this process. `serveSandboxes` receives the requests before the app of the server does, and passes each to the app of its key.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ApiError, type Clock, type OwnHandler } from '@contract-first/service';
import {
  createKeyRing,
  createLimiter,
  headerOf,
  type InFrontOfApp,
  pathOf,
  runJob,
} from '@contract-first/service/in-front';
import { openStorageWith, type Storage, type StoreTypes } from '@contract-first/service/storage';
import { LRUCache } from 'lru-cache';
import { transcriptAsMarkdown } from './markdown.ts';
import { type RecordedRequest, recordRequest, Transcript } from './transcript.ts';

export type { RecordedRequest };

/** The most sandboxes of a server. For a further one, the one that was not used for the longest time is dropped. */
export const MAX_SANDBOXES = 100;
/** Milliseconds after its last request when a sandbox is dropped. */
const UNUSED_FOR = 7 * 24 * 60 * 60 * 1_000;
/** The most bytes of data in a sandbox: 100 of them need at most 400 MB. */
const MAX_BYTES = 4 * 1024 * 1024;
const PAGE_BYTES = 4_096;
/** The operations that free space run in this many further pages. */
const SPARE_PAGES = 64;
/** The most secrets and IP addresses that a sandbox remembers: a server reserves memory for thousands, and a sandbox has one key. */
const MAX_CALLERS = 20;
/** The farthest that a clock can be moved, because later years have no four digits. */
const LATEST = Date.parse('9999-01-01T00:00:00Z');

const FULL = 'Your sandbox is full: it holds 4 MB. Nothing was changed. Delete something, or reset the sandbox.';
const retry = { headers: { 'Retry-After': '60' } };

/** The sandbox of a key, for the operations that control it. */
export type Sandbox = {
  /** The time in the sandbox, in Unix milliseconds. */
  now(): Promise<number>;
  /**
   * Moves the time of the sandbox forward, and does what is due by then.
   *
   * @param to Unix milliseconds
   * @returns the new time; undefined if it was not moved, because it is not moved back, nor beyond the year 9998
   */
  moveClock(to: number): Promise<number | undefined>;
  /** Deletes the data, the usage and the recorded requests, and sets the clock back to the time of the server. */
  reset(): void;
  /** The last requests of the caller in the sandbox, the oldest first. */
  transcript(): Promise<readonly RecordedRequest[]>;
  /** The same for people, in Markdown. */
  transcriptAsMarkdown(): Promise<string>;
};

type OpenSandbox = {
  app: RequestListener;
  storage: Pick<Storage, 'close'>;
  clock: Clock;
  /** Sets the clock to a later time. */
  setClock: (to: number) => void;
  /** Does the work of the store that is due by the time of the sandbox. */
  catchUp: () => Promise<void>;
  transcript: Transcript;
  /** Requests and moves of the clock in progress. A dropped sandbox is closed after the last one. */
  users: number;
  isDropped: boolean;
};

/**
 * Passes each request with a key to the sandbox of that key, and all others to the app of the server.
 *
 * @param controls the operations that control the sandbox of the caller: they get it as `call.sandbox`, and run outside it, by the clock and
 *   the quotas of the server
 */
export async function serveSandboxes<Store extends StoreTypes>(
  server: InFrontOfApp<Store>,
  controls: readonly string[],
): Promise<RequestListener> {
  const { app, appWith, clock, keys, contract, operations } = server;
  const opened = new LRUCache<string, Promise<OpenSandbox>>({
    max: MAX_SANDBOXES,
    ttl: UNUSED_FOR,
    updateAgeOnGet: true,
    perf: { now: clock },
    dispose: (opening) => void opening.then(drop, () => {}),
  });

  // Opening takes milliseconds of work, so there is one in each turn of the event loop. Requests of other keys are read meanwhile.
  let lastOpening: Promise<unknown> = Promise.resolve();
  function sandboxOf(keyId: string): Promise<OpenSandbox> {
    const known = opened.get(keyId);
    if (known !== undefined) return known;
    const opening = lastOpening.then(nextTurn).then(() => openSandbox(server, keyId));
    opened.set(keyId, opening);
    lastOpening = opening.catch(() => opened.delete(keyId));
    return opening;
  }

  function controlOf(keyId: string): Sandbox {
    return {
      now: async () => (await sandboxOf(keyId)).clock(),
      async moveClock(to) {
        const sandbox = await sandboxOf(keyId);
        // NaN, such as a leap second, which RFC 3339 has and JavaScript does not, is not later either.
        if (!(to > sandbox.clock() && to < LATEST)) return undefined;
        const leave = enter(sandbox);
        try {
          sandbox.setClock(to);
          await sandbox.catchUp();
          return sandbox.clock();
        } finally {
          leave();
        }
      },
      reset: () => void opened.delete(keyId),
      transcript: async () => (await sandboxOf(keyId)).transcript.requests,
      transcriptAsMarkdown: async () => transcriptAsMarkdown((await sandboxOf(keyId)).transcript.requests),
    };
  }

  const withSandbox = controls.map((id) => {
    const operation = operations[id];
    if (operation === undefined) throw new Error(`There is no operation ${id} to control sandboxes.`);
    const controlling: typeof operation = (call) =>
      operation(Object.assign(call, { sandbox: call.caller && controlOf(call.caller.id) }));
    return [id, controlling] as const;
  });
  const controlApp = appWith({ operations: { ...operations, ...Object.fromEntries(withSandbox) } });
  const notAvailable = 'Your sandbox cannot be opened now. Nothing was changed.';
  const unavailable: OwnHandler = (_request, _response, next) =>
    next(new ApiError('service_unavailable', notAvailable, retry));
  const unavailableApp = appWith({ middleware: { beforeKey: [unavailable] } });
  const headers = Object.values(contract.contract.securitySchemes).map((scheme) => headerOf(scheme).toLowerCase());

  /** The key of the caller by the clock of the server. The app checks it again, so an ambiguous one may be any. */
  async function keyIdOf({ headers: sent }: IncomingMessage): Promise<string | undefined> {
    const [secret] = headers.flatMap((name) => sent[name] ?? []);
    return secret && (await keys.verify(secret.replace(/^Bearer +/i, '').trim(), clock()))?.id;
  }

  /** Enters the sandbox at once, because a dropped one is closed as soon as it has no users. */
  async function choose(request: IncomingMessage): Promise<{ serve: RequestListener; leave?: () => void }> {
    const keyId = await keyIdOf(request);
    if (keyId === undefined) return { serve: app };
    const route = contract.findRoute(request.method ?? '', pathOf(request.url ?? ''));
    if (route.kind === 'operation' && controls.includes(route.operation.id)) return { serve: controlApp };
    const sandbox = await sandboxOf(keyId);
    return { serve: sandbox.app, leave: enter(sandbox) };
  }

  return async (request, response) => {
    const { serve, leave } = await choose(request).catch(() => ({ serve: unavailableApp, leave: undefined }));
    // The caller may have left while the sandbox was opened.
    if (response.closed) return leave?.();
    if (leave) response.once('close', leave);
    serve(request, response);
  };
}

async function openSandbox<Store extends StoreTypes>(server: InFrontOfApp<Store>, keyId: string): Promise<OpenSandbox> {
  const { service, appWith, clock: serverClock, middleware = {}, log } = server;
  const { contract } = server.contract;
  let aheadMs = 0;
  const clock = () => serverClock() + aheadMs;
  const { storage, isFull } = await openStore(service, clock);
  await service.seeds?.(storage, keyId, clock());
  let workedAt = Math.floor(clock() / 1_000);
  const transcript = new Transcript(contract.securitySchemes);

  async function catchUp(): Promise<void> {
    const second = Math.floor(clock() / 1_000);
    if (second === workedAt) return;
    workedAt = second;
    for (const [name, job] of Object.entries(service.jobs ?? {})) await runJob(name, job, { storage, clock, log });
    await storage.deleteIdempotencyRecords(clock() - contract.limits.idempotencySeconds * 1_000);
  }

  const enterSandbox: OwnHandler = async (request, response, next) => {
    response.setHeader('Date', new Date(request.context.receivedAt).toUTCString());
    recordRequest(request, response, transcript);
    await catchUp();
    next();
  };
  const refuseIfFull: OwnHandler = ({ context: { route }, method }, _response, next) => {
    const isAdding = route.kind === 'operation' && !route.operation.reads && method !== 'DELETE';
    next(isAdding && isFull() ? new ApiError('service_unavailable', FULL, retry) : undefined);
  };
  const app = appWith({
    storage,
    clock,
    // The keys of the server, by the clock of the sandbox, in which they may have expired.
    keys: createKeyRing(server.storage.keys, contract, clock, server.keys.mode, {
      cache: new LRUCache({ max: MAX_CALLERS }),
    }),
    limiter: await createLimiter(storage.usage, contract, clock, { maxAddresses: MAX_CALLERS }),
    middleware: {
      ...middleware,
      beforeKey: [enterSandbox, ...(middleware.beforeKey ?? [])],
      afterKey: [...(middleware.afterKey ?? []), refuseIfFull],
    },
  });
  const setClock = (to: number) => {
    aheadMs = to - serverClock();
  };
  return { app, storage, clock, setClock, catchUp, transcript, users: 0, isDropped: false };
}

/** Opens a store in memory. Its SQL has the time of the sandbox, by which jobs are due. */
async function openStore<Store extends StoreTypes>({ store }: InFrontOfApp<Store>['service'], clock: Clock) {
  let pages: StatementSync | undefined;
  const onOpen = (database: DatabaseSync) => {
    database.function('unixepoch', { varargs: true }, () => clock() / 1_000);
    database.exec(`PRAGMA max_page_count = ${MAX_BYTES / PAGE_BYTES + SPARE_PAGES}`);
    pages = database.prepare(
      'SELECT page_count - freelist_count AS used FROM pragma_page_count, pragma_freelist_count',
    );
  };
  const limited = { ...store, sqlite: { ...store.sqlite, onOpen } };
  const storage = await openStorageWith(limited, 'sqlite::memory:', 'on-start');
  return { storage, isFull: () => Number(pages?.get()?.['used']) * PAGE_BYTES >= MAX_BYTES };
}

/** Keeps a sandbox open, also if it is dropped, until the returned function is called. */
function enter(sandbox: OpenSandbox): () => void {
  sandbox.users += 1;
  return () => {
    sandbox.users -= 1;
    closeIfUnused(sandbox);
  };
}

function drop(sandbox: OpenSandbox): void {
  sandbox.isDropped = true;
  closeIfUnused(sandbox);
}

function closeIfUnused(sandbox: OpenSandbox): void {
  if (sandbox.isDropped && sandbox.users === 0) void sandbox.storage.close();
}
