/** Resolves after that many milliseconds. When the signal aborts, it rejects with its reason and releases its timer. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Timers accept a signed 32-bit number; a timer with a larger one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Sleeps with a timer of the platform. */
export const systemSleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    // Node warns of negative numbers.
    const timer = setTimeout(resolve, Math.max(0, Math.min(milliseconds, LONGEST_TIMER)));
    onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** Runs a function after that many milliseconds, unless the returned function is called first. */
export function after(sleep: Sleep, milliseconds: number, action: () => void): () => void {
  const stopped = new AbortController();
  sleep(milliseconds, stopped.signal).then(action, () => {});
  return () => stopped.abort();
}

const actions = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls a function when a signal aborts, or at once if it has, unless the returned function is called first. Thousands of
 * calls may have the same signal: it gets one listener, because adding and removing them takes longer the more there are,
 * and Node 20 warns of more than ten.
 */
export function onAbort(signal: AbortSignal, action: () => void): () => void {
  if (signal.aborted) action();
  const known = actions.get(signal);
  const all = known ?? new Set();
  all.add(action);
  if (!known) {
    actions.set(signal, all);
    signal.addEventListener('abort', () => {
      for (const one of all) one();
    });
  }
  return () => void all.delete(action);
}

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
