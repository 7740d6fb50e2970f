import { setImmediate } from 'node:timers/promises';
import { type Environment, platform } from '../src/options.ts';

/** Turns of the event loop after which all code has run that does not wait for a timer or a request. */
const TURNS = 5;

const waiting = new WeakMap<Environment, ReadonlySet<unknown>>();

/**
 * A clock that advances only when code sleeps: when nothing else can run and no request is in flight, it jumps to the
 * next timer.
 *
 * @param clock Unix milliseconds; share it with a server so that both have the same time
 * @param random numbers from 0 to below 1
 * @param send sends a request over the network
 */
export function createVirtualTime(
  clock: { now: number },
  random: () => number,
  send: Environment['fetch'] = (request) => fetch(request),
): Environment {
  const timers = new Set<{ at: number; ring: () => void }>();
  let inFlight = 0;
  let advancing = false;

  async function advance(): Promise<void> {
    if (advancing) return;
    advancing = true;
    while (timers.size > 0) {
      for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
      if (inFlight > 0) break;
      const [first] = [...timers].sort((a, b) => a.at - b.at);
      if (first === undefined) break;
      timers.delete(first);
      clock.now = Math.max(clock.now, first.at);
      first.ring();
    }
    advancing = false;
  }

  const sleep: Environment['sleep'] = (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const timer = { at: clock.now + milliseconds, ring: resolve };
      timers.add(timer);
      signal.addEventListener('abort', () => {
        timers.delete(timer);
        reject(signal.reason);
      });
      void advance();
    });

  const time: Environment = {
    clock: () => clock.now,
    random,
    sleep,
    fetch: async (request) => {
      inFlight += 1;
      try {
        const response = await send(request);
        // A request is in flight until its body has arrived.
        const { status } = response;
        const headers = new Headers(response.headers);
        // Node.js uses the system clock for this header.
        headers.set('Date', new Date(clock.now).toUTCString());
        return new Response(await response.arrayBuffer(), { status, headers });
      } finally {
        inFlight -= 1;
        void advance();
      }
    },
  };
  waiting.set(time, timers);
  return time;
}

/** How many timers of a virtual time wait. */
export function timersOf(time: Environment): number {
  return waiting.get(time)?.size ?? 0;
}

const system = { ...platform };

/** Makes the clients that are created from now on use the time of the system. */
export function restoreTime(): void {
  Object.assign(platform, system);
}

/** Makes the clients that are created from now on use this time. Returns the option that sends their requests in it. */
export function installTime({ fetch, ...time }: Environment): Pick<Environment, 'fetch'> {
  Object.assign(platform, time);
  return { fetch };
}
