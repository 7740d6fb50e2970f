import { createAnimalStore, RateLimitError } from '@animal-store/client';
import { animalStoreMocks } from '@animal-store/client/mocks';
import { createAnimalStoreHooks } from '@animal-store/client/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { setupServer } from 'msw/node';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';

const baseUrl = 'https://api.animal-store.example/v1';
const mocks = animalStoreMocks({ baseUrl });
const server = setupServer(...mocks.handlers);
server.listen();

const store = createAnimalStore({ apiKey: 'any', baseUrl, maxRetryAfter: 0 });
const { useInfiniteQuery, infiniteQueryOptions, queryOptions } = createAnimalStoreHooks(store);
const client = new QueryClient();

function Pets() {
  return useInfiniteQuery('get', '/pets').data?.map(({ name }) => name) ?? 'nothing';
}

await client.prefetchInfiniteQuery(infiniteQueryOptions('get', '/pets'));
const shown = renderToString(createElement(QueryClientProvider, { client }, createElement(Pets)));
server.use(mocks.reply('listOrders', 429));
const error: unknown = await client.fetchQuery(queryOptions('get', '/store/orders')).catch((reason) => reason);

console.log(JSON.stringify({ shown, isSameClass: error instanceof RateLimitError }));
client.clear();
server.close();
