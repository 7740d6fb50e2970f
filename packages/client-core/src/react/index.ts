/** Hooks for React, and what react-query needs in it. */
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import type { Client } from '../client.ts';
import type { RateLimit } from '../headers.ts';

/** The quota of a client according to the last response, also to calls without hooks; undefined before the first one. */
export function useRateLimit(client: Pick<Client<object>, 'use' | 'eject' | 'rateLimit'>): RateLimit | undefined {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const middleware = { onResponse: () => onChange() };
      client.use(middleware);
      return () => client.eject(middleware);
    },
    [client],
  );
  const now = () => client.rateLimit;
  return useSyncExternalStore(subscribe, now, now);
}

/**
 * Marks the data of these paths, and of the paths below them, as out of date. react-query then fetches what is on screen again. For
 * `onSuccess` of a mutation: `invalidate(queryClient, '/notes')` covers the list of notes and each note.
 */
export async function invalidate<Paths extends object>(
  queryClient: QueryClient,
  ...changed: (keyof Paths)[]
): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => changed.some((one) => isAtOrBelow(queryKey, String(one))),
  });
}

function isAtOrBelow([method, path]: QueryKey, changed: string): boolean {
  return method === 'get' && (path === changed || `${path}`.startsWith(`${changed}/`));
}
