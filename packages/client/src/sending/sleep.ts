/** Resolves after that many milliseconds. When the signal aborts, it rejects with its reason and holds no timer. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Timers take a signed 32-bit number; a longer one would ring at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Sleeps by a timer of the platform. */
export const systemSleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const ring = () => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(ring, Math.min(milliseconds, LONGEST_TIMER));
    signal.addEventListener('abort', stop, { once: true });
  });
