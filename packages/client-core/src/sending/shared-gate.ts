import { type Heard, LONGEST_REFUSAL, MINUTE } from './gate-state.ts';
import { mockResets } from './mocked.ts';

/**
 * Lets clients of one API key in several tabs, processes or machines share what the API says about the quota. The news is
 * plain JSON, and its times are milliseconds from now, so clocks may differ.
 */
export type SharedGate = {
  /** Sends news to the other clients. Must not throw. */
  publish: (news: Heard) => void;
  /**
   * Calls the listener with the news of other clients. If a refusal is already known, it comes first, with its times
   * reduced by its age. May return a promise: the first call waits until it settles, for a second at most.
   */
  subscribe: (listener: (news: Heard) => void) => unknown;
  /** Set if a client does not learn of earlier refusals. It then sends fewer requests until it knows the quota. */
  readonly forgets?: boolean;
};

/**
 * Shares news between the tabs of one origin by a BroadcastChannel. The latest news is also stored, so that a page knows the quota, or a
 * refusal, when it is loaded. A refusal is removed from the storage by `resume()` and by the next request that is accepted, and counts for
 * a day at most.
 *
 * Undefined outside of browsers. Without storage or BroadcastChannel (old or sandboxed pages), each tab counts for itself.
 *
 * @param name identifies the API and the key
 */
export function shareAcrossTabs(name: string): SharedGate | undefined {
  if (typeof document === 'undefined' || isNode()) return undefined;
  // Browsers may forbid both, for example if cookies are blocked.
  try {
    return shareBy(name, () => localStorage, new BroadcastChannel(name));
  } catch {
    return undefined;
  }
}

/** Whether Node.js or Bun runs this. Electron's pages are also pages of a browser. */
function isNode(): boolean {
  const { node, electron } = Object(Object(Reflect.get(globalThis, 'process')).versions);
  return node !== undefined && electron === undefined;
}

/** The parts of a channel and of a storage that clients need. */
type Channel = Pick<BroadcastChannel, 'postMessage' | 'onmessage'>;
type Storage = {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
};

/** The same with any channel and any storage. `storage` may throw. */
export function shareBy(name: string, storage: () => Storage, channel: Channel): SharedGate {
  return {
    forgets: !attempt(() => storage().getItem(name)),
    publish(news) {
      attempt(() => {
        // What mocks say must not reach the next test, story or page.
        if (mockResets()) return;
        channel.postMessage(news);
        if (news.status === 429 || news.quota) storage().setItem(name, JSON.stringify([Date.now(), news]));
        else if (news.resumed) storage().removeItem(name);
      });
    },
    subscribe(listener) {
      channel.onmessage = ({ data }) => listener(data);
      attempt(() => {
        if (mockResets()) return;
        const [at, news] = JSON.parse(storage().getItem(name) ?? '');
        // Only this depends on the system clock. If it was set back, the wait starts again; if it was set forward, one
        // request finds out.
        const aged = agedBy(news, Math.max(0, Date.now() - at));
        if (aged) listener(aged);
      });
    },
  };
}

/** News from that many milliseconds ago; undefined if it no longer applies. */
function agedBy({ resumed: _, ...news }: Heard, age: number): Heard | undefined {
  if (news.status === 429) {
    const retryAfter = Math.min(LONGEST_REFUSAL, news.retryAfter ?? 0) - age;
    const probeIn = news.probeIn && Math.max(0, news.probeIn - age);
    return retryAfter > 0 ? { ...news, retryAfter, probeIn, resetIn: undefined } : undefined;
  }
  const resetIn = Math.min(LONGEST_REFUSAL, news.resetIn ?? MINUTE) - age;
  // The quota of the next window is unknown, but the API has not refused the key.
  return resetIn > 0 ? { ...news, resetIn } : { status: news.status, resetIn: 0 };
}

/** Whether that succeeded. If not, the client counts for itself. */
function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** A hash of a text, so that it does not reveal the text. */
export function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = Math.imul(hash, 31) + character.charCodeAt(0);
  return hash;
}
