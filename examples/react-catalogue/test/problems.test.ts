/** Tests the page's message for each kind of error with mocks, without a server or a browser. */
import { animalStoreMocks } from '@animal-store/client/mocks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { type HttpHandler, HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { createElement } from 'react';
import { type Page, show } from '../../../packages/client-core/test/page.ts';
import { Catalogue } from '../src/catalogue/catalogue.tsx';
import { openSession, type Session } from '../src/session/session.ts';
import { SessionProvider } from '../src/session/session-provider.tsx';

const baseUrl = 'https://api.animal-store.example/v1';
const mocks = animalStoreMocks({ baseUrl });
const server = setupServer(...mocks.handlers);
let page: Page | undefined;
let session: Session | undefined;

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
// Waits are shown as they begin, however long rendering takes.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.now()));
afterEach(async () => {
  jest.restoreAllMocks();
  await page?.unmount();
  session?.queryClient.clear();
  server.resetHandlers();
});
afterAll(() => server.close());

/** The catalogue after the API has responded to its first request. */
async function showCatalogue(...handlers: HttpHandler[]): Promise<string> {
  server.use(...handlers);
  session = openSession('as_test_any', baseUrl);
  const catalogue = createElement(Catalogue, { onSignOut: () => {} });
  const shown = await show(createElement(SessionProvider, { session, children: catalogue }));
  page = shown;
  const main = () => shown.container.querySelector('main')?.textContent ?? '';
  await shown.until(() => shown.container.querySelector('[role="alert"], .pet') !== null, main);
  return main();
}

test('the animals of the contract’s example are shown', async () => {
  expect(await showCatalogue()).toMatch(/Rex.*Number 1, category 3.*Available.*Mia.*2 animals\. That is all\./);
});

test.each([
  ['a wrong key', mocks.reply('listPets', 401, { example: 'invalid' }), /does not work.*Use another key/],
  ['a used-up minute', mocks.reply('listPets', 429), /quota of this minute is used up.*Try again in 42 s/],
  [
    'a used-up day',
    mocks.reply('listPets', 429, { headers: { 'Retry-After': '7200' } }),
    /quota of this day is used up.*Try again at \d\d:\d\d/,
  ],
  ['a ban', mocks.reply('listPets', 429, { example: 'banned' }), /key is banned temporarily.*Try again in \d+ s/],
  [
    'a fault',
    mocks.reply('listPets', 500),
    /The API has a problem.*report it with the X-Request-Id.*Request [\w-]+Try again/,
  ],
  ['a refusal', mocks.reply('listPets', 400), /The API rejected the request.*query\/limit must be at most 100/],
])('%s is explained, with what helps', async (_, handler, text) => {
  expect(await showCatalogue(handler)).toMatch(text);
});

test('an unreachable API is explained', async () => {
  const unreachable = http.get(`${baseUrl}/pets`, () => HttpResponse.error());
  expect(await showCatalogue(unreachable)).toMatch(/No response from the API.*Try again$/);
});
