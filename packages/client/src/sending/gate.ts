import type { Policy, Surroundings } from '../options.ts';
import type { EventListener } from './events.ts';
import { admit, comeBack, type GateState, type Heard, leave, openGate } from './gate-state.ts';

/** Why a call is not sent, and until when (Unix milliseconds) none will be. */
export type Closed = { code: string; until: number };

/** Where every request of a client waits for its turn. */
export interface Gate {
  /**
   * Resolves when the request may be sent, to undefined; or, when it would have to wait for too long, to why not.
   * Who was let go says `comeBack` afterwards, whatever happened. Rejects when the signal aborts.
   */
  enter(signal: AbortSignal, isRetry: boolean): Promise<Closed | undefined>;
  /** A request has ended; undefined when it brought no reply. */
  comeBack(heard: Heard | undefined): void;
}

/** Refusals that come together name ends that are this many milliseconds apart. */
const MOMENT = 1_000;

type Waiting = (closed: Closed | undefined) => void;

export function createGate(
  policy: Policy,
  { clock, random, sleep }: Omit<Surroundings, 'fetch'>,
  emit: EventListener,
): Gate {
  const queue: Waiting[] = [];
  let state: GateState = openGate;
  let timer = new AbortController();
  /** The end that was last told, while the gate is shut. */
  let announced: Closed | undefined;

  /** Lets go all that may go now. */
  function advance(): void {
    timer.abort();
    for (let next = queue[0]; next !== undefined; next = queue[0]) {
      const now = clock();
      const admission = admit(state, now, policy);
      if (admission.kind === 'wait') {
        wake(admission.until);
        return;
      }
      queue.shift();
      if (admission.kind === 'go') pass(now);
      next(admission.kind === 'go' ? undefined : { code: state.code, until: state.shutUntil });
    }
  }

  function pass(now: number): void {
    state = leave(state, now, policy, random);
    if (announced !== undefined) emit({ type: 'gate', state: 'open' });
    announced = undefined;
  }

  function wake(until: number | undefined): void {
    if (until === undefined) return;
    timer = new AbortController();
    sleep(Math.max(0, until - clock()), timer.signal).then(advance, () => {});
  }

  /** Tells when the gate is shut; and again when the reason is another one, or the end is later by more than a moment. */
  function announce(closed: Closed): void {
    if (announced?.code === closed.code && closed.until - announced.until <= MOMENT) return;
    announced = closed;
    emit({ type: 'gate', state: 'shut', until: new Date(closed.until), code: closed.code });
  }

  return {
    enter(signal, isRetry) {
      const turn = queueUp(queue, signal, isRetry, advance);
      if (queue.length === 1 || isRetry) advance();
      return turn;
    },

    comeBack(heard) {
      const { shutUntil } = state;
      state = comeBack(state, heard, clock(), policy, random);
      if (state.shutUntil > shutUntil) announce({ code: state.code, until: state.shutUntil });
      advance();
    },
  };
}

/** Takes a place in the queue: at its front, since it has waited before, or at its end. */
function queueUp(
  queue: Waiting[],
  signal: AbortSignal,
  atFront: boolean,
  onLeft: () => void,
): Promise<Closed | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      queue.splice(queue.indexOf(waiting), 1);
      reject(signal.reason);
      onLeft();
    };
    const waiting: Waiting = (closed) => {
      signal.removeEventListener('abort', stop);
      resolve(closed);
    };
    signal.addEventListener('abort', stop, { once: true });
    queue[atFront ? 'unshift' : 'push'](waiting);
  });
}
