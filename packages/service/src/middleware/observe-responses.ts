import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ObservedResponse, ResponseObserver, Trace } from '../common/observed-response.ts';
import { type Clock, dayOf } from '../common/time.ts';
import { pathOf } from '../http/message.ts';
import { redactSecrets } from '../keys/key-format.ts';
import type { ActivityRecord, KeyStore } from '../storage/storage.ts';

/** The maximum number of characters of a path in the log. Paths of operations are shorter, but callers may send 16 KB. */
const MAX_PATH = 200;

/**
 * The status that nginx logs for a connection that closed before the response. Node would report a 200 that was never
 * sent.
 */
const CLIENT_CLOSED_REQUEST = 499;

/** Calls the observers once for each response, after it is sent or its connection closes. Logs the failures of an observer. */
export function observeResponses(observers: readonly ResponseObserver[], log: Logger): RequestHandler {
  const fail = (err: unknown) => log.error({ err }, 'an observer in afterResponse failed');
  return (request, response, next) => {
    // Validation changes HEAD to GET.
    const { method } = request;
    response.on('close', () => {
      const { key, errorCode, startedAt, streamingSince, trace } = request.context;
      const endedAt = performance.now();
      const observed: ObservedResponse = {
        ...identityOf(request),
        method,
        status: response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST,
        code: errorCode,
        milliseconds: (streamingSince ?? endedAt) - startedAt,
        streamMilliseconds: streamingSince === undefined ? undefined : endedAt - streamingSince,
        trace,
        keyId: key?.id,
        aborted: !response.writableFinished,
      };
      for (const observe of observers) {
        try {
          // The type allows async functions, too.
          const done: unknown = observe(observed);
          if (done !== undefined) Promise.resolve(done).catch(fail);
        } catch (error) {
          fail(error);
        }
      }
    });
    next();
  };
}

/** The fields that identify a request in the log. The query is left out, because it may contain secrets. */
export function identityOf(request: Request) {
  // A router changes `url` while it runs.
  const sent = pathOf(request.originalUrl);
  // Almost no path contains the beginning of a key, and a search for a whole key takes longer.
  const path = (sent.includes('_live_') || sent.includes('_test_') ? redactSecrets(sent) : sent).slice(0, MAX_PATH);
  return { requestId: request.context.requestId, method: request.method, path, operation: operationOf(request) };
}

/** The trace of a log line, by the names that OpenTelemetry gives it in JSON. */
export function traceFields(trace: Trace | undefined): object {
  return trace === undefined ? {} : { trace_id: trace.traceId, span_id: trace.spanId };
}

function operationOf({ context: { route } }: Request): string {
  return route.kind === 'operation' ? route.operation.id : route.kind;
}

/** Logs one line per response: request ID, method, path, operation, status, duration and key ID, never the key. */
export function accessLog(log: Logger): ResponseObserver {
  return ({ milliseconds, streamMilliseconds = 0, aborted, trace, ...response }) => {
    // Putting a line together takes longer than the rest of this.
    if (!log.isLevelEnabled('info')) return;
    const ms = Math.round((milliseconds + streamMilliseconds) * 10) / 10;
    log.info({ ...response, ...traceFields(trace), ms, ...(aborted ? { aborted } : {}) }, 'request');
  };
}

/** Counts the calls of each key by operation. */
export type ActivityTracker = {
  observe: ResponseObserver;
  /** Adds what was counted since the last flush to the stored activity. */
  flush: () => Promise<void>;
};

/** The maximum number of records in one transaction, so that other writes do not wait long. */
const SAVE_BATCH = 1_000;

/** Counts in memory, so that a request costs two lookups and no write. If a flush fails, the next one saves its counts. */
export function createActivityTracker(store: Pick<KeyStore, 'addActivity'>, clock: Clock): ActivityTracker {
  let unsaved = new Map<string, Map<string, ActivityRecord>>();
  /** Records of days that have ended since the last flush. */
  let ended: ActivityRecord[] = [];

  function add(keyId: string, operation: string, calls: number, at: number): void {
    let ofKey = unsaved.get(keyId);
    if (ofKey === undefined) {
      ofKey = new Map();
      unsaved.set(keyId, ofKey);
    }
    const record = ofKey.get(operation);
    if (record === undefined || dayOf(record.lastCalledAt) !== dayOf(at)) {
      if (record !== undefined) ended.push(record);
      ofKey.set(operation, { keyId, operation, calls, lastCalledAt: at });
    } else {
      record.calls += calls;
      record.lastCalledAt = Math.max(record.lastCalledAt, at);
    }
  }

  async function flush(): Promise<void> {
    const records = [...ended, ...[...unsaved.values()].flatMap((ofKey) => [...ofKey.values()])];
    unsaved = new Map();
    ended = [];
    while (records.length > 0) {
      try {
        await store.addActivity(records.slice(0, SAVE_BATCH));
      } catch (error) {
        for (const { keyId, operation, calls, lastCalledAt } of records) add(keyId, operation, calls, lastCalledAt);
        throw error;
      }
      records.splice(0, SAVE_BATCH);
    }
  }

  return {
    observe({ keyId, operation }) {
      // Only callers that a function verified have a colon: the commands for keys do not show them.
      if (keyId !== undefined && !keyId.includes(':')) add(keyId, operation, 1, clock());
    },
    flush,
  };
}
