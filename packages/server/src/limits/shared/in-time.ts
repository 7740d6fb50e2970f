/** The counters are away, or too slow. */
export class CountersAwayError extends Error {
  override name = 'CountersAwayError';
}

/** What a promise resolves to within so many milliseconds; rejects when it is late. */
export function inTime<T>(promise: Promise<T>, patience: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that came while this process was busy is read before anybody says that it is late.
    const late = () => setImmediate(() => reject(new CountersAwayError(`No answer within ${patience} ms.`)));
    const timer = setTimeout(late, patience);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
