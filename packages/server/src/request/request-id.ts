import { randomUUID } from 'node:crypto';

const acceptable = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's X-Request-Id where it is well-formed, so that both logs can be joined; otherwise a new one. */
export function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && acceptable.test(sent) ? sent : randomUUID();
}
