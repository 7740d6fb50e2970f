import { idempotentOperations } from '@animal-store/contract';
import type { Middleware } from 'openapi-fetch';

/** Gives each request that may carry an `Idempotency-Key` one of its own, unless the caller did. Retries keep it. */
export const idempotency: Middleware = {
  onRequest({ request, schemaPath }) {
    if (request.headers.has('Idempotency-Key') || !isRepeatSafe(request.method, schemaPath)) return;
    request.headers.set('Idempotency-Key', newIdempotencyKey());
  },
};

function isRepeatSafe(method: string, path: string): boolean {
  return idempotentOperations.some((operation) => operation === `${method} ${path}`);
}

/** 128 random bits in hex: a key for a creation that may be sent again later, as the same one. */
export function newIdempotencyKey(): string {
  // `crypto.randomUUID` is missing on pages that are not served over HTTPS; this is not.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
