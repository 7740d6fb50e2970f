import { useSyncExternalStore } from 'react';
import type { Client } from '../client.ts';
import type { RateLimit } from '../headers/rate-limit.ts';

/** A hook that returns the quota according to the last response, and renders again with each response. */
export function rateLimitHook(client: Pick<Client<object>, 'use' | 'rateLimit'>): () => RateLimit | undefined {
  const listeners = new Set<() => void>();
  client.use({
    onResponse() {
      for (const listener of listeners) listener();
    },
  });
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const now = () => client.rateLimit;
  return () => useSyncExternalStore(subscribe, now, now);
}
