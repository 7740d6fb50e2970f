/** Whoever was asked is away, or too slow. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError';
}

/** What a promise resolves to within so many milliseconds; rejects when it is late. */
export function inTime<T>(promise: Promise<T>, patience: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // An answer that came while this process was busy is read before anybody says that it is late.
    const late = () => setImmediate(() => reject(new NoAnswerError(`No answer within ${patience} ms.`)));
    const timer = setTimeout(late, patience);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
