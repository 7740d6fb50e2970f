import client = require('@animal-store/client');
import mocking = require('@animal-store/client/mocks');
import querying = require('@animal-store/client/queries');
import hooks = require('@animal-store/client/react');
import reactQuery = require('@tanstack/react-query');
import msw = require('msw/node');
import react = require('react');
import dom = require('react-dom/server');

const baseUrl = 'https://api.animal-store.example/v1';
const mocks = mocking.animalStoreMocks({ baseUrl });
const server = msw.setupServer(...mocks.handlers);

const store = client.createAnimalStore({ apiKey: 'any', baseUrl, maxRetryAfter: 0 });
const options = querying.createAnimalStoreQueries(store).queries;

function Pets() {
  const { data } = reactQuery.useInfiniteQuery(options.pets.list.infinite());
  return [...(data?.map(({ name }) => name) ?? ['nothing']), hooks.useRateLimit(store)?.limit];
}

async function main(queries: reactQuery.QueryClient): Promise<void> {
  server.listen();
  await queries.prefetchInfiniteQuery(options.pets.list.infinite());
  const pets = react.createElement(Pets);
  const shown = dom.renderToString(react.createElement(reactQuery.QueryClientProvider, { client: queries }, pets));
  server.use(mocks.reply('listOrders', 429));
  const error: unknown = await queries.fetchQuery(options.beta.orders.list()).catch((reason) => reason);
  console.log(JSON.stringify({ shown, isSameClass: error instanceof client.RateLimitError }));
  queries.clear();
  server.close();
}

void main(new reactQuery.QueryClient());
