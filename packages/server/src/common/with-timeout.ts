/** Whoever was asked is away, or too slow. */
export class TimeoutError extends Error {
  override name = 'TimeoutError';
}

/** What a promise resolves to within so many milliseconds; rejects when it is late. */
export function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that came while this process was busy is read before anybody says that it is late.
    const late = () => setImmediate(() => reject(new TimeoutError(`No answer within ${timeoutMs} ms.`)));
    const timer = setTimeout(late, timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
