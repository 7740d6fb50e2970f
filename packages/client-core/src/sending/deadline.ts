import { after, onAbort, type Sleep } from './sleep.ts';

/**
 * A limit for work that takes time: it ends when a signal aborts, with its reason, or after that many milliseconds, with an error. It has a
 * signal of its own for both.
 *
 * @param given the signal of who waits for the work
 * @param late makes the error
 */
export function limitWork(given: AbortSignal | undefined, sleep: Sleep, milliseconds: number, late: () => Error) {
  const ending = new AbortController();
  const { signal } = ending;
  const forget = given && onAbort(given, () => ending.abort(given.reason));
  const stop = after(sleep, milliseconds, () => ending.abort(late()));
  return {
    signal,
    /** The result of the work, unless the limit ends it before. The work may ignore the signal. */
    run: <Result>(work: Promise<Result>) =>
      new Promise<Result>((resolve, reject) => {
        work.then(resolve, reject);
        onAbort(signal, () => reject(signal.reason));
      }),
    /** Releases the timer, and the given signal, which still ends a stream that is being read. */
    async release(streaming?: Promise<void>): Promise<void> {
      stop();
      await streaming;
      forget?.();
    },
  };
}
