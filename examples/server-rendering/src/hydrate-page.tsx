import { createAnimalStoreQueries } from '@animal-store/client/queries';
import { HydrationBoundary, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { hydrateRoot, type Root } from 'react-dom/client';
import { App } from './app.tsx';

type Caller = Parameters<typeof createAnimalStoreQueries>[0];

/** Hydrates the page of the server. Its data is in the cache, so nothing is requested again while it is fresh. */
export function hydratePage(store: Caller): Root {
  const root = document.getElementById('root');
  const state = document.getElementById('state')?.textContent;
  if (root === null || state == null) throw new Error('The page was not rendered by the server.');
  const queryClient = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000 } } });
  return hydrateRoot(
    root,
    <QueryClientProvider client={queryClient}>
      <HydrationBoundary state={JSON.parse(state)}>
        <App {...createAnimalStoreQueries(store)} />
      </HydrationBoundary>
    </QueryClientProvider>,
  );
}
