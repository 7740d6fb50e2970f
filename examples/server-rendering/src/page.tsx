import { createAnimalStoreQueries } from '@animal-store/client/queries';
import { dehydrate, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToString } from 'react-dom/server';
import { App } from './app.tsx';

type Caller = Parameters<typeof createAnimalStoreQueries>[0];

/** The page with the first animals, and the cache with which the browser continues. Each request has its own cache. */
export async function renderPage(store: Caller): Promise<string> {
  const options = createAnimalStoreQueries(store);
  const queryClient = new QueryClient();
  // Rejects if the API fails; `prefetchInfiniteQuery` would leave the request to the browser instead.
  await queryClient.fetchInfiniteQuery(options.queries.pets.list.infinite({ limit: 3 }));
  const html = renderToString(
    <QueryClientProvider client={queryClient}>
      <App {...options} />
    </QueryClientProvider>,
  );
  // A pet's name must not be able to close the script element.
  const state = JSON.stringify(dehydrate(queryClient)).replaceAll('<', '\\u003c');
  queryClient.clear();
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Animals</title></head>
<body><div id="root">${html}</div>
<script id="state" type="application/json">${state}</script>
<script type="module" src="/browser.js"></script></body>
</html>
`;
}
