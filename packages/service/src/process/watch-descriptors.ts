import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from 'pino';

/** Milliseconds between two checks. */
const INTERVAL = 1_000;
/** Milliseconds between two lines in the log. */
const LOG_INTERVAL = 60_000;

/** Logs when no file descriptor is left: it opens a file each second, as Node closes connections without an event. */
export function watchDescriptors(log: Logger): { stop: () => void } {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    try {
      closeSync(openSync(devNull, 'r'));
    } catch (err) {
      const now = performance.now();
      if (now - loggedAt < LOG_INTERVAL) return;
      loggedAt = now;
      log.error(
        { err },
        'no file descriptor is left, so new connections are closed; raise the limit (ulimit -n), or lower MAX_CONNECTIONS',
      );
    }
  }, INTERVAL).unref();
  return { stop: () => clearInterval(timer) };
}
