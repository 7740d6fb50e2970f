/** Sandboxes: on a test server, each key has data, quotas and a clock of its own. They are in the memory of this process. */
import type { RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import type { Contract } from '../common/contract.ts';
import { type Clock, DAY, minuteOf } from '../common/time.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Sandbox } from '../contract/sandbox.ts';
import type { ServiceParts } from '../contract/service-parts.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { createLimiter, type Limiter } from '../rate-limit/limiter.ts';
import { openCopy } from '../storage/sqlite/storage.ts';
import type { Storage, StoreTypes } from '../storage/storage.ts';
import { recordRequest, Transcript } from './transcript.ts';

/** The most sandboxes of a server. For a further one, the one that was not used for the longest time is dropped. */
export const MAX_SANDBOXES = 100;
/** Milliseconds after its last request when a sandbox is dropped. */
const UNUSED_FOR = 7 * DAY;
/** The most bytes of data in a sandbox: 100 of them need at most 400 MB. */
const MAX_BYTES = 4 * 1024 * 1024;
const PAGE_BYTES = 4_096;
/** The operations that free space run in this many further pages. */
const SPARE_PAGES = 64;
/** The most secrets and IP addresses that a sandbox remembers: a server reserves memory for thousands, and a sandbox has one key. */
const MAX_CALLERS = 20;
/** The farthest that a clock can be moved, because later years have no four digits. */
const LATEST = Date.parse('9999-01-01T00:00:00Z');

/** What a sandbox replaces in the steps of a request. */
export type SandboxParts<Store extends StoreTypes> = {
  storage: Storage<Store>;
  keys: Pick<KeyRing, 'verify' | 'mode'>;
  limiter: Limiter;
  clock: Clock;
  /** Refuses what adds data to a full sandbox. */
  refuseIfFull: RequestHandler;
};

export type SandboxesParts<Store extends StoreTypes> = {
  service: Pick<ServiceParts<Store>, 'store' | 'everyMinute' | 'sandboxOperations'>;
  contract: Pick<Contract, 'plans' | 'anonymousLimits' | 'banRules' | 'limits' | 'securitySchemes'>;
  /** The keys of the server, by a clock. Each sandbox needs a key ring, because the cache of one depends on its clock. */
  keysBy: (clock: Clock, maxCachedSecrets: number) => SandboxParts<Store>['keys'];
  /** Returns the steps of a request in a sandbox, from the check of its credentials on. */
  serveWith: (parts: SandboxParts<Store>) => RequestHandler;
  clock: Clock;
  /** The bytes of a database with the seeds, with which each sandbox begins. */
  contents: Uint8Array;
};

type OpenSandbox<Store extends StoreTypes> = SandboxParts<Store> & {
  serve: RequestHandler;
  /** How far the clock is ahead of the server. */
  time: { aheadMs: number };
  /** The minute of the sandbox for which the work of the store was done. */
  minute: number;
  transcript: Transcript;
  /** Requests and moves of the clock in progress. A dropped sandbox is closed after the last one. */
  users: number;
  isDropped: boolean;
};

/** Returns the middleware that serves the requests of each key in its sandbox. It stands after the check of the credentials. */
export function sandboxes<Store extends StoreTypes>({
  service,
  contract,
  keysBy,
  serveWith,
  clock,
  contents,
}: SandboxesParts<Store>): RequestHandler {
  const opened = new LRUCache<string, Promise<OpenSandbox<Store>>>({
    ...{ max: MAX_SANDBOXES, ttl: UNUSED_FOR, updateAgeOnGet: true, ttlAutopurge: false, perf: { now: clock } },
    dispose: (opening) => void opening.then(drop, () => {}),
  });
  const controls = new Set(service.sandboxOperations ?? []);

  function sandboxOf(keyId: string): Promise<OpenSandbox<Store>> {
    const known = opened.get(keyId);
    if (known !== undefined) return known;
    const opening = open();
    opened.set(keyId, opening);
    opening.catch(() => opened.delete(keyId));
    return opening;
  }

  async function open(): Promise<OpenSandbox<Store>> {
    const { database, storage } = openCopy(contents, service.store);
    database.exec(`PRAGMA max_page_count = ${MAX_BYTES / PAGE_BYTES + SPARE_PAGES}`);
    const time = { aheadMs: 0 };
    const sandboxClock = () => clock() + time.aheadMs;
    const limiter = await createLimiter(storage.usage, contract, sandboxClock, { maxAddresses: MAX_CALLERS });
    const usedPages = database.prepare(
      'SELECT page_count - freelist_count AS used FROM pragma_page_count, pragma_freelist_count',
    );
    const refuseIfFull = refuseIf(() => Number(usedPages.get()?.['used']) * PAGE_BYTES >= MAX_BYTES);
    const keys = keysBy(sandboxClock, MAX_CALLERS);
    const parts = { storage, keys, limiter, clock: sandboxClock, refuseIfFull };
    return {
      ...{ ...parts, serve: serveWith(parts), time, minute: minuteOf(clock()) },
      ...{ transcript: new Transcript(contract), users: 0, isDropped: false },
    };
  }

  /** Does the work of the store that is due by the time of the sandbox. */
  async function catchUp(sandbox: OpenSandbox<Store>): Promise<void> {
    const minute = minuteOf(sandbox.clock());
    if (minute === sandbox.minute) return;
    sandbox.minute = minute;
    await service.everyMinute?.(sandbox.storage, sandbox.clock);
    await sandbox.storage.deleteIdempotencyRecords(sandbox.clock() - contract.limits.idempotencySeconds * 1_000);
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
          sandbox.time.aheadMs = to - clock();
          await catchUp(sandbox);
          return sandbox.clock();
        } finally {
          leave();
        }
      },
      reset: () => void opened.delete(keyId),
      transcript: async () => (await sandboxOf(keyId)).transcript.requests,
    };
  }

  return async (request, response, next) => {
    const { context } = request;
    const { key, route } = context;
    if (key === undefined || key.verified !== undefined) return next();
    if (route.kind === 'operation' && controls.has(route.operation.id)) {
      context.sandbox = controlOf(key.id);
      return next();
    }
    const sandbox = await sandboxOf(key.id);
    response.once('close', enter(sandbox));
    await catchUp(sandbox);
    const now = sandbox.clock();
    context.receivedAt = now;
    response.setHeader('Date', new Date(now).toUTCString());
    recordRequest(request, response, sandbox.transcript);
    // The credentials are checked again by the time of the sandbox, in which they may have expired.
    context.key = undefined;
    context.scopeError = undefined;
    return sandbox.serve(request, response, next);
  };
}

/** Keeps a sandbox open, also if it is dropped, until the returned function is called. */
function enter<Store extends StoreTypes>(sandbox: OpenSandbox<Store>): () => void {
  sandbox.users += 1;
  return () => {
    sandbox.users -= 1;
    closeIfUnused(sandbox);
  };
}

function drop<Store extends StoreTypes>(sandbox: OpenSandbox<Store>): void {
  sandbox.isDropped = true;
  closeIfUnused(sandbox);
}

function closeIfUnused<Store extends StoreTypes>(sandbox: OpenSandbox<Store>): void {
  if (sandbox.isDropped && sandbox.users === 0) void sandbox.storage.close();
}

function refuseIf(isFull: () => boolean): RequestHandler {
  return ({ context: { route }, method }, _response, next) => {
    const isAdding = route.kind === 'operation' && !route.operation.reads && method !== 'DELETE';
    next(isAdding && isFull() ? full() : undefined);
  };
}

function full(): ApiError {
  const message = 'Your sandbox is full: it holds 4 MB. Nothing was changed. Delete something, or reset the sandbox.';
  return new ApiError('service_unavailable', message, { headers: { 'Retry-After': '60' } });
}
