import type { Environment, Policy } from '../options.ts';
import type { EventListener } from './events.ts';
import {
  admit,
  type GateState,
  type Heard,
  hear,
  leave,
  MOMENT,
  openGate,
  resumed,
  SHORT_HEAD_START,
  type Waiter,
  waitsTooLong,
} from './gate-state.ts';
import { mockResets } from './mocked.ts';
import type { SharedGate } from './shared-gate.ts';
import { after, onAbort } from './time.ts';

/** The permission to send one request. */
export type Pass = { epoch: number; at: number; expires: number };

/** Why a call is not sent, and in how many milliseconds calls are sent again. */
export type Closed = { code: string; retryAfter: number };

/** A call that waits for its turn. */
type Caller = Waiter & { signal: AbortSignal; policy: Pick<Policy, 'timeout'>; attempts: number };

/**
 * The longest that a waiting call sleeps before it checks the gate again, if nothing else may wake it. Calls of Workers wake at random times,
 * so that they are not sent together.
 */
const POLL = 100;

/** Cloudflare Workers end the timers and promises of a request with it, so that no other may wait for them. */
const isIsolated = () => globalThis.navigator?.userAgent === 'Cloudflare-Workers';

/**
 * The queue in which every request of a client waits for its turn.
 *
 * @param onNews receives the news of other clients
 */
export function createGate(
  policy: Policy,
  { clock, random, sleep }: Omit<Environment, 'fetch'>,
  emit: EventListener,
  shared?: SharedGate | undefined,
  onNews?: (heard: Heard) => void,
) {
  // Calls that have waited before come first. Maps, because removing an entry from the middle of an array of 20,000 is
  // slow.
  const retries = new Map<Caller, (result: Pass | Closed) => void>();
  const others: typeof retries = new Map();
  const queues = [retries, others];
  const passes = new Set<Pass>();
  const initial: GateState = shared && !shared.forgets ? { ...openGate, headStart: SHORT_HEAD_START } : openGate;
  let state = initial;
  let stopTimer = () => {};
  /** The state that was last announced, while the gate is shut. */
  let announced: GateState | undefined;
  let resets = mockResets();

  const closed = (now: number): Closed => ({ code: state.code, retryAfter: state.shutUntil - now });

  /** A pass, a refusal, or the time until which to wait at most (Infinity: until a request has ended). */
  function ask(caller: Caller): Pass | Closed | number {
    const now = clock();
    // What mocks said counts until they are reset.
    if (resets !== mockResets()) state = { ...initial, epoch: state.epoch + 1, resumedIn: state.resumedIn };
    resets = mockResets();
    for (const pass of passes) if (pass.expires < now) passes.delete(pass);
    const [{ at: oldest } = { at: 0 }] = passes;
    const until = admit(state, { count: passes.size, oldest }, now, caller, policy);
    if (until === undefined) return closed(now);
    if (until > 0) return until;
    // A request that was abandoned ends a moment after its timeout.
    const pass = { epoch: state.epoch, at: now, expires: now + caller.policy.timeout + MOMENT };
    passes.add(pass);
    state = leave(state, now, random);
    // Other clients need not test it, too, not even one that replaces this one before the response.
    if (now < state.shutUntil) publish({ status: 429, ...closed(now) });
    if (announced !== undefined && now >= state.shutUntil) {
      announced = undefined;
      emit({ type: 'gate', state: 'open' });
    }
    return pass;
  }

  /** Sends every waiting call that may be sent now. */
  function advance(): void {
    stopTimer();
    for (const queue of queues) {
      for (const [caller, settle] of queue) {
        const answer = ask(caller);
        if (typeof answer === 'number') {
          wake(answer);
          return;
        }
        queue.delete(caller);
        settle(answer);
      }
    }
  }

  function wake(until: number): void {
    if (until === Infinity) return;
    stopTimer();
    // Mocks may be reset meanwhile.
    stopTimer = after(sleep, Math.min(until - clock(), mockResets() ? POLL : Infinity), advance);
  }

  function learn(heard: Heard, epoch: number): void {
    const { shutUntil } = state;
    const now = clock();
    state = hear(state, heard, epoch, now, policy, random);
    if (state.shutUntil > shutUntil) shut(now);
    advance();
  }

  /** Tells other clients, together with what this one knows of a refusal. */
  function publish(heard: Heard): void {
    const { refusals, probeAt } = state;
    shared?.publish(heard.status === 429 ? { ...heard, refusals, probeIn: Math.max(0, probeAt - clock()) } : heard);
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
      for (const [caller, settle] of queue) {
        if (waitsTooLong(state, now, caller) && queue.delete(caller)) settle(closed(now));
      }
    }
  }

  async function poll(caller: Caller): Promise<Pass | Closed> {
    for (;;) {
      const answer = ask(caller);
      if (typeof answer !== 'number') return answer;
      await sleep(random() * Math.min(POLL, answer - clock()), caller.signal);
    }
  }

  function line(caller: Caller): Promise<Pass | Closed> {
    const { signal, attempts } = caller;
    const queue = attempts ? retries : others;
    const isFirst = !retries.size && (attempts || !others.size);
    // A call that may not wait must not queue behind calls that may.
    const answer = isFirst || waitsTooLong(state, clock(), caller) ? ask(caller) : Infinity;
    return new Promise((resolve, reject) => {
      if (typeof answer !== 'number') return resolve(answer);
      queue.set(caller, resolve);
      onAbort(signal, () => {
        queue.delete(caller);
        if (retries.size + others.size === 0) stopTimer();
        reject(signal.reason);
      });
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
  let ready = shared && listen(shared).catch(() => {});

  return {
    /**
     * Resolves to a pass when the request may be sent; or to the reason if it would have to wait for too long. The caller
     * must return the pass in any case. Rejects with the signal's reason.
     */
    async enter(caller: Caller): Promise<Pass | Closed> {
      const listening = ready;
      // Only for a moment, because the connection of a shared gate may hang.
      if (listening) await new Promise<void>((done) => void listening.then(done).then(after(sleep, MOMENT, done)));
      ready = undefined;
      caller.signal.throwIfAborted();
      return isIsolated() ? poll(caller) : line(caller);
    },

    /** A request has ended. */
    endCall(pass: Pass, heard: Heard): void {
      passes.delete(pass);
      const { epoch, goodReplies } = state;
      learn(heard, pass.epoch);
      const isShut = clock() < state.shutUntil;
      const { status, quota } = heard;
      // Lost or out of date: other clients learn nothing from it.
      if (!status || (status === 429 ? pass.epoch < state.resumedIn : isShut && epoch === state.epoch)) return;
      // The first response after a refusal that is none itself.
      // Without the headers of a quota, it may come from a proxy.
      const isAccepted = status !== 429 && (quota || (status > 199 && status < 300));
      const resumed = (isAccepted && !isShut && pass.epoch === epoch && goodReplies === 0) || undefined;
      publish({ ...heard, resumed });
    },

    /** Forgets a refusal: the next call is sent. */
    resume(): void {
      state = resumed(state);
      shared?.publish({ status: 0, resumed: true });
      advance();
    },
  };
}
