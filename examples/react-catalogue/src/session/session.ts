import { createAnimalStore } from '@animal-store/client';
import { type AnimalStoreHooks, createAnimalStoreHooks } from '@animal-store/client/react';
import { QueryClient } from '@tanstack/react-query';

/** Set by Vite; see vite.config.ts. */
declare const ANIMAL_STORE_URL: string;

/** Everything that belongs to one API key: its hooks and their cached data. */
export type Session = AnimalStoreHooks & { queryClient: QueryClient };

export function openSession(apiKey: string, baseUrl: string = ANIMAL_STORE_URL): Session {
  // Users prefer to see how long to wait over a page that does nothing for a minute.
  const store = createAnimalStore({ apiKey, baseUrl, maxRetryAfter: 5_000 });
  // Returning to the tab must not use up the quota.
  const queries = { staleTime: 30_000, refetchOnWindowFocus: false };
  return { ...createAnimalStoreHooks(store), queryClient: new QueryClient({ defaultOptions: { queries } }) };
}
