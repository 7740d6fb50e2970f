import type { Heard } from './gate-state.ts';

/**
 * Lets clients of one API key in several tabs, processes or machines share what the API says about the quota. The news is
 * plain JSON, and its times are milliseconds from now, so clocks may differ.
 */
export type SharedGate = {
  /** Sends news to the other clients. Must not throw. */
  publish: (news: Heard) => void;
  /**
   * Calls the listener with the news of other clients. If a refusal is already known, it comes first, with its times
   * reduced by its age. May return a promise: the first call waits until it settles.
   */
  subscribe: (listener: (news: Heard) => void) => unknown;
};

/**
 * Shares news between the tabs of one origin by a BroadcastChannel. The last refusal is also stored, so that it is known
 * after a reload. Undefined outside of pages; without storage or BroadcastChannel (old or sandboxed pages), each tab
 * counts for itself.
 *
 * @param name identifies the API and the key
 */
export function shareAcrossTabs(name: string): SharedGate | undefined {
  if (typeof document === 'undefined' || typeof BroadcastChannel === 'undefined') return undefined;
  const channel: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(name);
  // In tests that imitate a page in Node.js, it must not keep the process alive.
  channel.unref?.();
  return {
    publish(news) {
      channel.postMessage(news);
      if (news.status === 429) attempt(() => localStorage.setItem(name, JSON.stringify([Date.now(), news])));
    },
    subscribe(listener) {
      channel.onmessage = ({ data }) => listener(data);
      attempt(() => {
        const [at, news] = JSON.parse(localStorage.getItem(name) ?? '');
        // Only this depends on the system clock. If it was set back, the wait starts again; if it was set forward, one
        // request finds out.
        const left = news.retryAfter - Math.max(0, Date.now() - at);
        if (left > 0) listener({ ...news, retryAfter: left, resetIn: undefined });
      });
    },
  };
}

/** Pages may forbid storage. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // The tab then counts for itself.
  }
}

/** A hash of a text, so that the name does not reveal the key. */
export function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = Math.imul(hash, 31) + character.charCodeAt(0);
  return hash;
}
