import client = require('@animal-store/client');
import mocking = require('@animal-store/client/mocks');
import hooks = require('@animal-store/client/react');
import reactQuery = require('@tanstack/react-query');
import msw = require('msw/node');
import react = require('react');
import dom = require('react-dom/server');

const baseUrl = 'https://api.animal-store.example/v1';
const mocks = mocking.animalStoreMocks({ baseUrl });
const server = msw.setupServer(...mocks.handlers);

const store = client.createAnimalStore({ apiKey: 'any', baseUrl, maxRetryAfter: 0 });
const { useInfiniteQuery, infiniteQueryOptions, queryOptions } = hooks.createAnimalStoreHooks(store);

function Pets() {
  return useInfiniteQuery('get', '/pets').data?.map(({ name }) => name) ?? 'nothing';
}

async function main(queries: reactQuery.QueryClient): Promise<void> {
  server.listen();
  await queries.prefetchInfiniteQuery(infiniteQueryOptions('get', '/pets'));
  const pets = react.createElement(Pets);
  const shown = dom.renderToString(react.createElement(reactQuery.QueryClientProvider, { client: queries }, pets));
  server.use(mocks.reply('listOrders', 429));
  const error: unknown = await queries.fetchQuery(queryOptions('get', '/store/orders')).catch((reason) => reason);
  console.log(JSON.stringify({ shown, isSameClass: error instanceof client.RateLimitError }));
  queries.clear();
  server.close();
}

void main(new reactQuery.QueryClient());
