/** Returns the time as Unix milliseconds. Code that depends on time takes a clock, so that tests can set it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;

/** An answer did not arrive in time. */
export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** Resolves as `promise` does, or rejects with a TimeoutError after `timeoutMs`. */
export function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // Read pending input first: the answer may have arrived while this process was busy.
    const late = () => setImmediate(() => reject(new TimeoutError(`No answer within ${timeoutMs} ms.`)));
    const timer = setTimeout(late, timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
