import { createAnimalStore, RateLimitError } from '@animal-store/client';
import { animalStoreMocks } from '@animal-store/client/mocks';
import { createAnimalStoreQueries } from '@animal-store/client/queries';
import { useRateLimit } from '@animal-store/client/react';
import { QueryClient, QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query';
import { setupServer } from 'msw/node';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';

const baseUrl = 'https://api.animal-store.example/v1';
const mocks = animalStoreMocks({ baseUrl });
const server = setupServer(...mocks.handlers);
server.listen();

const store = createAnimalStore({ apiKey: 'any', baseUrl, maxRetryAfter: 0 });
const { queries } = createAnimalStoreQueries(store);
const client = new QueryClient();

function Pets() {
  const names = useInfiniteQuery(queries.pets.list.infinite()).data?.map(({ name }) => name) ?? ['nothing'];
  return [...names, useRateLimit(store)?.limit];
}

await client.prefetchInfiniteQuery(queries.pets.list.infinite());
const shown = renderToString(createElement(QueryClientProvider, { client }, createElement(Pets)));
server.use(mocks.reply('listOrders', 429));
const error: unknown = await client.fetchQuery(queries.beta.orders.list()).catch((reason) => reason);

console.log(JSON.stringify({ shown, isSameClass: error instanceof RateLimitError }));
client.clear();
server.close();
