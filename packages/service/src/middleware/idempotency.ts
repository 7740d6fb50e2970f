import { hash } from 'node:crypto';
import type { Clock } from '../common/time.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Storage, StoreTypes, Transaction } from '../storage/storage.ts';

export type IdempotentRequest = {
  /** ID of the API key: each key has its own Idempotency-Keys. */
  caller: string;
  idempotencyKey: string;
  /** Operation and input, which must be the same in a retry. */
  request: unknown;
};

/** A stored response. Its body, if it has one, is JSON. */
export type StoredResponse = { status: number; headers: Record<string, string>; body: string | undefined };

type Run<Store extends StoreTypes> = (transaction: Transaction<Store>) => Promise<StoredResponse>;

/**
 * Runs a request with an Idempotency-Key once within `x-limits.idempotencySeconds`. One transaction stores its changes and
 * its response. A retry gets the stored response, a retry while the first request is running gets 409, and a different request
 * with the same key gets 422. A refused request is not stored, so the caller can correct it and send it again.
 * @param seconds how long a response is stored
 */
export function createIdempotency<Store extends StoreTypes>(storage: Storage<Store>, clock: Clock, seconds: number) {
  const running = new Set<string>();

  return async ({ caller, idempotencyKey, request }: IdempotentRequest, run: Run<Store>): Promise<StoredResponse> => {
    const name = `${caller} ${idempotencyKey}`;
    if (running.has(name)) throw keyInUse();
    running.add(name);
    try {
      return await storage.transaction((transaction) =>
        replayOrRun(
          transaction,
          { caller, idempotencyKey, fingerprint: fingerprintOf(request) },
          clock(),
          seconds,
          run,
        ),
      );
    } finally {
      running.delete(name);
    }
  };
}

async function replayOrRun<Store extends StoreTypes>(
  transaction: Transaction<Store>,
  { caller, idempotencyKey, fingerprint }: { caller: string; idempotencyKey: string; fingerprint: string },
  now: number,
  seconds: number,
  run: Run<Store>,
): Promise<StoredResponse> {
  const oldest = now - seconds * 1_000;
  const record = await transaction.findIdempotencyRecord(caller, idempotencyKey, oldest);
  if (record !== undefined) {
    if (record.fingerprint !== fingerprint) throw keyReused();
    const headers = { ...record.headers, 'Idempotency-Replayed': 'true' };
    return { status: record.status, headers, body: record.body === '' ? undefined : record.body };
  }
  const response = await run(transaction);
  const { status, headers, body = '' } = response;
  const saved = { fingerprint, status, headers, body, createdAt: now };
  await transaction.saveIdempotencyRecord(caller, idempotencyKey, saved);
  return response;
}

/** A hash of the request that does not depend on the order of its properties. */
function fingerprintOf(request: unknown): string {
  return hash('sha256', JSON.stringify(sortKeys(request)), 'base64url');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]): [string, unknown] => [key, sortKeys(entry)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
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
