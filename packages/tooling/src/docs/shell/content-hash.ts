import { createHash } from 'node:crypto';

/** The SHA-256 of a content. */
export function contentHash(content: string | Uint8Array, encoding: 'base64' | 'hex'): string {
  return createHash('sha256').update(content).digest(encoding);
}
