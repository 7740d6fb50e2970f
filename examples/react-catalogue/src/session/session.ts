import { createAnimalStore } from '@animal-store/client';
import { type AnimalStoreHooks, createAnimalStoreHooks } from '@animal-store/client/react';
import { QueryClient } from '@tanstack/react-query';

/** Filled in by Vite; see vite.config.ts. */
declare const ANIMAL_STORE_URL: string;

/** All that belongs to one API key: its hooks, and what they have read. */
export type Session = AnimalStoreHooks & { queryClient: QueryClient };

export function openSession(apiKey: string, baseUrl: string = ANIMAL_STORE_URL): Session {
  // Whoever looks at a screen would rather read how long to wait than watch it do nothing for a minute.
  const store = createAnimalStore({ apiKey, baseUrl, maxRetryAfter: 5_000 });
  // Coming back to the tab costs no request of the quota.
  const queries = { staleTime: 30_000, refetchOnWindowFocus: false };
  return { ...createAnimalStoreHooks(store), queryClient: new QueryClient({ defaultOptions: { queries } }) };
}
