/** 128 random bits in hex, by which the API recognises a creation that is sent again. */
export function newIdempotencyKey(): string {
  // Not `crypto.randomUUID`, which is missing on pages that are not served over HTTPS.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
