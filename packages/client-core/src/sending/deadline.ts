import { TimeoutError } from '../errors.ts';
import { onAbort, systemSleep } from './sleep.ts';

/** The end of a call: the signal of its caller, or its deadline. */
export type Limit = {
  readonly signal: AbortSignal;
  /** The result of the work, unless the call ends before it. The work may ignore the signal. */
  run<Result>(work: Promise<Result>, deadline: number): Promise<Result>;
  /** Releases the timer, and the signal of the caller, which still ends a stream that is being read. */
  release(streaming?: Promise<void>): Promise<void>;
};

/** A limit with a signal of its own, so that a deadline can end the call, too. */
export function limitCall(given: AbortSignal | undefined): Limit {
  const ending = new AbortController();
  const ended = new AbortController();
  const { signal } = ending;
  const follow = () => ending.abort(given?.reason);
  const forget = given && onAbort(given, follow);
  return {
    signal,
    run(work, deadline) {
      const aborted = new Promise<never>((_, reject) => {
        onAbort(signal, () => reject(signal.reason));
      });
      systemSleep(deadline, ended.signal).then(
        () => ending.abort(new TimeoutError(`The call did not end within its deadline of ${deadline} ms.`)),
        () => {},
      );
      return Promise.race([work, aborted]);
    },
    async release(streaming) {
      ended.abort();
      await streaming;
      forget?.();
    },
  };
}
