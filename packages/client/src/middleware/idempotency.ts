/** 128 random bits in hex: a key for a creation that may be sent again later, as the same one. */
export function newIdempotencyKey(): string {
  // `crypto.randomUUID` is missing on pages that are not served over HTTPS; this is not.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
