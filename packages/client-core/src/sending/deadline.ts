import { TimeoutError } from '../errors.ts';
import { after, onAbort, rejectOnAbort, systemSleep } from './sleep.ts';

/** The end of a call: the signal of its caller, or its deadline. It has a signal of its own, so that a deadline can end the call, too. */
export function limitCall(given: AbortSignal | undefined) {
  const ending = new AbortController();
  const { signal } = ending;
  const forget = given && onAbort(given, () => ending.abort(given.reason));
  let stop: (() => void) | undefined;
  return {
    signal,
    /** The result of the work, unless the call ends before it. The work may ignore the signal. */
    run<Result>(work: Promise<Result>, deadline: number): Promise<Result> {
      stop = after(systemSleep, deadline, () =>
        ending.abort(new TimeoutError(`The call did not end within its deadline of ${deadline} ms.`)),
      );
      return Promise.race([work, rejectOnAbort(signal)]);
    },
    /** Releases the timer, and the signal of the caller, which still ends a stream that is being read. */
    async release(streaming?: Promise<void>): Promise<void> {
      stop?.();
      await streaming;
      forget?.();
    },
  };
}
