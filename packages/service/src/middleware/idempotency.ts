import { hash } from 'node:crypto';
import type { Request } from 'express';
import type { Clock } from '../common/time.ts';
import type { RequestContext } from '../http/context.ts';
import { createOutgoing } from '../http/respond.ts';
import { redactSecrets } from '../keys/key-format.ts';
import { ApiError, invalidRequest } from '../openapi/api-error.ts';
import type { CompiledOperation } from '../openapi/compiled-contract.ts';
import type { OutgoingResponse } from '../openapi/response-check.ts';
import type { IdempotencyRecord, Storage, StoreTypes, Transaction } from '../storage/storage.ts';
import { fileIdentity } from './read-form.ts';

/** How an operation runs: in the transaction that it gets, or with transactions of its own. */
type Run<Store extends StoreTypes> =
  | { inOne: (transaction: Transaction<Store>) => Promise<OutgoingResponse> }
  | { own: () => Promise<OutgoingResponse> };
type Use<Store extends StoreTypes> = <T>(work: (transaction: Transaction<Store>) => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs a writing operation once for each Idempotency-Key within a number of seconds. A retry gets the stored
 * response, a retry while the first request is running 409, and another request with the same key 422. A refused request is not stored,
 * so the caller can correct it. One transaction stores the changes and the response, unless the operation has transactions of its own:
 * it runs again if the process ends before the response is stored, or if another server gets the same request meanwhile.
 */
export function idempotency<Store extends StoreTypes>(storage: Storage<Store>, clock: Clock, seconds: number) {
  /** Requests with an Idempotency-Key, by the ID of the API key, because each has its own. */
  const running = new Set<string>();

  return async (request: Request, operation: CompiledOperation, run: Run<Store>): Promise<OutgoingResponse> => {
    const { context } = request;
    const idempotencyKey = operation.facts.idempotent ? request.get('Idempotency-Key') : undefined;
    if (idempotencyKey === undefined || context.key === undefined) {
      return 'own' in run ? run.own() : storage.transaction(run.inOne, operation.facts.method === 'POST');
    }
    // An API key in this header would be stored in plain text.
    if (redactSecrets(idempotencyKey) !== idempotencyKey) throw secretAsIdempotencyKey();
    const { id: caller } = context.key;
    // Neither contains a line feed.
    const name = `${caller}\n${idempotencyKey}`;
    if (running.has(name)) throw keyInUse();
    running.add(name);
    try {
      const fingerprint = fingerprintOf(operation, context);
      const replayOrRun = async (use: Use<Store>, runOperation: () => Promise<OutgoingResponse>) => {
        const now = clock();
        const notBefore = now - seconds * 1_000;
        const record = await use((transaction) => transaction.findIdempotencyRecord(caller, idempotencyKey, notBefore));
        if (record === undefined) {
          const first = recordOf(await runOperation(), fingerprint, now);
          await use((transaction) => transaction.saveIdempotencyRecord(caller, idempotencyKey, first));
          return responseOf(operation, first);
        }
        if (record.fingerprint !== fingerprint) throw keyReused();
        return responseOf(operation, record, { 'Idempotency-Replayed': 'true' });
      };
      if ('own' in run) return await replayOrRun((work) => storage.transaction(work), run.own);
      return await storage.transaction((transaction) =>
        replayOrRun(
          (work) => work(transaction),
          () => run.inOne(transaction),
        ),
      );
    } finally {
      running.delete(name);
    }
  };
}

function responseOf({ facts }: CompiledOperation, record: IdempotencyRecord, further = {}): OutgoingResponse {
  const { status, headers, body } = record;
  const contentType = Object.keys(facts.responses[status]?.mediaTypes ?? {})[0];
  return createOutgoing(facts, status, { ...headers, ...further }, body === '' ? {} : { body, contentType });
}

/** The contract allows only JSON and empty bodies together with an Idempotency-Key. */
function recordOf(outgoing: OutgoingResponse, fingerprint: string, createdAt: number): IdempotencyRecord {
  const { status, headers, body = '' } = outgoing;
  if (body instanceof Uint8Array) throw new TypeError('Only text can be stored for a retry.');
  return { fingerprint, status, headers, body, createdAt };
}

/** A hash of what must be the same in a retry. It does not depend on the order of properties. */
function fingerprintOf({ id, facts }: CompiledOperation, { input, contentType }: RequestContext): string {
  const { path, body, query, header } = input ?? {};
  const { headers, requestBody } = facts;
  // Records from before 1.1.0 contain only the first three.
  const further = [
    ...(Object.keys(Object(query)).length === 0 ? [] : [{ query }]),
    ...(headers.length === 0 ? [] : [{ header }]),
    ...(Object.keys(requestBody?.mediaTypes ?? {}).length > 1 ? [{ contentType }] : []),
  ];
  return hash('sha256', JSON.stringify(sortKeys([id, path, body, ...further])), 'base64url');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  // The properties of bytes are their positions, and a file has none.
  if (ArrayBuffer.isView(value)) {
    return hash('sha256', Buffer.from(value.buffer, value.byteOffset, value.byteLength), 'base64url');
  }
  const file = fileIdentity(value);
  if (file !== undefined) return file;
  const entries = Object.entries(value).map(([key, entry]): [string, unknown] => [key, sortKeys(entry)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function secretAsIdempotencyKey(): ApiError {
  const what = 'must not contain an API key; use a new random value for each request';
  return invalidRequest([{ where: 'header/Idempotency-Key', what }]);
}

function keyInUse(): ApiError {
  const message =
    'The first request with this Idempotency-Key is still running. Wait 1 second, then send the same request again.';
  return new ApiError('idempotency_key_in_use', message, { headers: { 'Retry-After': '1' } });
}

function keyReused(): ApiError {
  const message = 'This Idempotency-Key was already used for a different request. Use a new key for each new request.';
  return new ApiError('idempotency_key_reused', message);
}
