import type { Logger } from 'pino';
import type { ResponseObserver } from '../http/context.ts';

/** One line per reply: request id, operation, status, time and key id; never the key. */
export function accessLog(log: Logger): ResponseObserver {
  return (reply) => {
    // Putting a line together costs more than leaving it out.
    if (!log.isLevelEnabled('info')) return;
    const { requestId, method, operation, status, code, milliseconds, keyId, aborted } = reply;
    const ms = Math.round(milliseconds * 10) / 10;
    log.info({ requestId, method, operation, status, code, ms, keyId, ...(aborted ? { aborted } : {}) }, 'request');
  };
}
