import type { Middleware } from '../openapi-fetch.ts';

/**
 * Adds a new `Idempotency-Key` to each request that takes one, unless the caller has set it. Retries keep the same key.
 *
 * @param operations the operations that take an `Idempotency-Key`, by method and path
 */
export function idempotency(operations: readonly string[]): Middleware {
  return {
    onRequest({ request: { headers, method }, schemaPath }) {
      if (headers.has('Idempotency-Key') || !operations.includes(`${method} ${schemaPath}`)) return;
      headers.set('Idempotency-Key', newIdempotencyKey());
    },
  };
}

/** 128 random bits in hex: a key for a creation that may be sent again later, as the same one. */
export function newIdempotencyKey(): string {
  // `crypto.randomUUID` is missing on pages that are not served over HTTPS; this is not.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
