import { createAnimalStore } from '@animal-store/client';
import { createAnimalStoreQueries } from '@animal-store/client/queries';
import { QueryClient } from '@tanstack/react-query';

/** Set by Vite; see vite.config.ts. */
declare const ANIMAL_STORE_URL: string;

/** Everything that belongs to one API key: its client, its queries and their cached data. */
export type Session = ReturnType<typeof openSession>;

export function openSession(apiKey: string, baseUrl: string = ANIMAL_STORE_URL) {
  // Users prefer to see how long to wait over a page that does nothing for a minute.
  const store = createAnimalStore({ apiKey, baseUrl, maxRetryAfter: 5_000 });
  // Returning to the tab must not use up the quota.
  const queries = { staleTime: 30_000, refetchOnWindowFocus: false };
  return { store, ...createAnimalStoreQueries(store), queryClient: new QueryClient({ defaultOptions: { queries } }) };
}
