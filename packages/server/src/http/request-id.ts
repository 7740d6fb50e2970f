import { randomUUID } from 'node:crypto';
import { withoutSecrets } from '../keys/key-format.ts';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * The caller's X-Request-Id where it is well-formed, so that both logs can be joined; otherwise, and where it holds an API
 * key, a new one.
 */
export function requestId(sent: string | string[] | undefined): string {
  const isGood = typeof sent === 'string' && acceptable.test(sent) && withoutSecrets(sent) === sent;
  return isGood ? sent : randomUUID();
}
