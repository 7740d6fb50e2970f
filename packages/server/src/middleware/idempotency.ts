import { hash } from 'node:crypto';
import { limits } from '@animal-store/contract';
import type { Clock } from '../common/clock.ts';
import { ApiError } from '../contract/api-error.ts';
import type { OutgoingResponse } from '../http/respond.ts';
import type { Storage, StoreTypes, Transaction } from '../storage/storage.ts';

export type OnceRequest = {
  /** Id of the API key: each key has its own Idempotency-Keys. */
  caller: string;
  idempotencyKey: string;
  /** What makes the request this one: operation, path and body. */
  request: unknown;
};

export type Once<Store extends StoreTypes> = (
  request: OnceRequest,
  run: (transaction: Transaction<Store>) => Promise<OutgoingResponse>,
) => Promise<OutgoingResponse>;

/**
 * Runs a request with an Idempotency-Key once in `x-limits.idempotencySeconds`: what it did and its response are kept in
 * one transaction. A repetition gets the first response, another request under the same key 422, one that comes while the
 * first is running 409. A refused request is not kept, so it may be corrected and sent again.
 */
export function createOnce<Store extends StoreTypes>(storage: Storage<Store>, clock: Clock): Once<Store> {
  const running = new Set<string>();

  return async ({ caller, idempotencyKey, request }, run) => {
    const name = `${caller} ${idempotencyKey}`;
    if (running.has(name)) throw stillRunning();
    running.add(name);
    try {
      return await storage.transaction((transaction) =>
        replayOrRun(transaction, caller, idempotencyKey, fingerprintOf(request), clock(), run),
      );
    } finally {
      running.delete(name);
    }
  };
}

async function replayOrRun<Store extends StoreTypes>(
  transaction: Transaction<Store>,
  caller: string,
  idempotencyKey: string,
  fingerprint: string,
  now: number,
  run: (transaction: Transaction<Store>) => Promise<OutgoingResponse>,
): Promise<OutgoingResponse> {
  const kept = await transaction.findIdempotencyRecord(caller, idempotencyKey, now - limits.idempotencySeconds * 1_000);
  if (kept !== undefined) {
    if (kept.fingerprint !== fingerprint) throw reused();
    return {
      status: kept.status,
      headers: { ...kept.headers, 'Idempotency-Replayed': 'true' },
      json: kept.body === '' ? undefined : kept.body,
    };
  }
  const response = await run(transaction);
  const { status, headers, json } = response;
  await transaction.saveIdempotencyRecord(caller, idempotencyKey, {
    fingerprint,
    status,
    headers,
    body: json ?? '',
    createdAt: now,
  });
  return response;
}

/** The same for bodies that say the same, whatever the order of their properties. */
function fingerprintOf(request: unknown): string {
  return hash('sha256', JSON.stringify(sorted(request)), 'base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]): [string, unknown] => [key, sorted(entry)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function stillRunning(): ApiError {
  const message = 'The first request with this Idempotency-Key is still running. Send this one again in a second.';
  return new ApiError('idempotency_key_in_use', message, { headers: { 'Retry-After': '1' } });
}

function reused(): ApiError {
  const message = 'This Idempotency-Key was used for another request. Take a new key for a new request.';
  return new ApiError('idempotency_key_reused', message);
}
