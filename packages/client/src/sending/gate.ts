import type { Environment, Policy } from '../options.ts';
import type { EventListener } from './events.ts';
import { admit, type GateState, type Heard, hear, leave, openGate, resumed } from './gate-state.ts';
import type { SharedGate } from './shared-gate.ts';
import { onAbort } from './sleep.ts';

/** The permission to send one request. */
export type Pass = { epoch: number; expires: number };

/** Why a call is not sent, and in how many milliseconds calls are sent again. */
export type Closed = { code: string; retryAfter: number };

/** The properties of a call that the gate needs. */
export type Caller = { signal: AbortSignal; policy: Pick<Policy, 'timeout' | 'maxRetryAfter'>; isRetry: boolean };

/** The queue in which every request of a client waits for its turn. */
export interface Gate {
  /**
   * Resolves to a pass when the request may be sent; or to the reason if it would have to wait for too long. The caller
   * must return the pass in any case. Rejects with the signal's reason.
   */
  enter(caller: Caller): Promise<Pass | Closed>;
  /** A request has ended; `heard` is undefined if no response arrived. */
  endCall(pass: Pass, heard: Heard | undefined): void;
  /** Forgets a refusal: the next call is sent. */
  resume(): void;
}

/**
 * Refusals that arrive together have ends up to this many milliseconds apart. The pass of a request that was abandoned
 * expires this long after its timeout.
 */
const MOMENT = 1_000;

/**
 * The longest that a waiting call sleeps before it checks the gate again, if nothing else may wake it. Calls wake at random times, so
 * that they are not sent together.
 */
const POLL = 100;

type Waiting = { policy: Caller['policy']; settle: (result: Pass | Closed) => void };

/** Cloudflare Workers end the timers and promises of a request with it, so that no other may wait for them. */
const isIsolated = () => globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/** @param onNews receives the news of other clients */
export function createGate(
  policy: Policy,
  { clock, random, sleep }: Omit<Environment, 'fetch'>,
  emit: EventListener,
  shared?: SharedGate | undefined,
  onNews?: (heard: Heard) => void,
): Gate {
  // Calls that have waited before come first. Sets, because removing an entry from the middle of an array of 20,000 is
  // slow.
  const retries = new Set<Waiting>();
  const others = new Set<Waiting>();
  const queues = [retries, others];
  const passes = new Set<Pass>();
  let state: GateState = openGate;
  let timer: AbortController | undefined;
  /** The state that was last announced, while the gate is shut. */
  let announced: GateState | undefined;

  const closed = (now: number): Closed => ({ code: state.code, retryAfter: state.shutUntil - now });

  /** A pass, a refusal, or the time until which to wait at most (Infinity: until a request has ended). */
  function ask({ maxRetryAfter, timeout }: Caller['policy']): Pass | Closed | number {
    const now = clock();
    for (const pass of passes) if (pass.expires < now) passes.delete(pass);
    const until = admit(state, passes.size, now, { ...policy, maxRetryAfter });
    if (until === undefined) return closed(now);
    if (until > 0) return until;
    const pass = { epoch: state.epoch, expires: now + timeout + MOMENT };
    passes.add(pass);
    state = leave(state, now, policy, random);
    if (announced !== undefined && now >= state.shutUntil) {
      announced = undefined;
      emit({ type: 'gate', state: 'open' });
    }
    return pass;
  }

  /** Sends every waiting call that may be sent now. */
  function advance(): void {
    timer?.abort();
    for (const queue of queues) {
      for (const waiting of queue) {
        const answer = ask(waiting.policy);
        if (typeof answer === 'number') {
          wake(answer);
          return;
        }
        queue.delete(waiting);
        waiting.settle(answer);
      }
    }
  }

  function wake(until: number): void {
    if (until === Infinity) return;
    timer?.abort();
    timer = new AbortController();
    sleep(until - clock(), timer.signal).then(advance, () => {});
  }

  function learn(heard: Heard | undefined, epoch: number): void {
    const { shutUntil } = state;
    const now = clock();
    state = hear(state, heard, epoch, now, policy, random);
    if (state.shutUntil > shutUntil) shut(now);
    advance();
  }

  /**
   * Announces that the gate is shut, and again only if the reason changes or the end is considerably later. Ends the
   * calls that may not wait so long, wherever they are in the queue.
   */
  function shut(now: number): void {
    const { code, shutUntil } = state;
    if (announced?.code !== code || shutUntil - announced.shutUntil > MOMENT) {
      announced = state;
      emit({ type: 'gate', state: 'shut', ...closed(now) });
    }
    for (const queue of queues) {
      for (const waiting of queue) {
        if (shutUntil - now <= waiting.policy.maxRetryAfter) continue;
        queue.delete(waiting);
        waiting.settle(closed(now));
      }
    }
  }

  async function poll({ signal, policy: limits }: Caller): Promise<Pass | Closed> {
    for (;;) {
      const answer = ask(limits);
      if (typeof answer !== 'number') return answer;
      await sleep(random() * Math.min(POLL, answer - clock()), signal);
    }
  }

  function line({ signal, policy: limits, isRetry }: Caller): Promise<Pass | Closed> {
    const queue = isRetry ? retries : others;
    // A call that may not wait must not queue behind calls that may.
    const isFirst = retries.size + (isRetry ? 0 : others.size) === 0;
    const isLate = state.shutUntil - clock() > limits.maxRetryAfter;
    const answer = isFirst || isLate ? ask(limits) : Infinity;
    return new Promise((resolve, reject) => {
      if (typeof answer !== 'number') return resolve(answer);
      const forget = onAbort(signal, () => {
        queue.delete(waiting);
        if (retries.size + others.size === 0) timer?.abort();
        reject(signal.reason);
      });
      const waiting: Waiting = {
        policy: limits,
        settle(result) {
          forget();
          resolve(result);
        },
      };
      queue.add(waiting);
      wake(answer);
    });
  }

  async function listen(gate: SharedGate): Promise<void> {
    await gate.subscribe((heard) => {
      onNews?.(heard);
      learn(heard, -1);
    });
  }
  // Without news from other clients, this client counts for itself.
  const ready = shared && listen(shared).catch(() => {});

  return {
    async enter(caller) {
      if (ready) await ready;
      caller.signal.throwIfAborted();
      return isIsolated() ? poll(caller) : line(caller);
    },

    endCall(pass, heard) {
      passes.delete(pass);
      if (heard !== undefined) shared?.publish(heard);
      learn(heard, pass.epoch);
    },

    resume() {
      state = resumed(state);
      advance();
    },
  };
}
