/** Not prose: the words that readers type into the search box. */
import { expect, test } from '@jest/globals';
import { contractDocument } from '../../../tooling/src/contract/generated.ts';
import { clientReference, readGuides } from '../../../tooling/src/docs/guides.ts';
import { searchEntries } from '../../../tooling/src/docs/search/entries.ts';
import { createSearch } from '../../../tooling/src/docs/search/find.ts';

const contract = contractDocument();
const search = createSearch(searchEntries(contract, [...readGuides(contract), clientReference(contract)]));

// Typical searches of partners, and a page that answers each.
test.each([
  ['next page', 'guides/paging.html'],
  ['429', 'guides/limits.html#what-to-do-on-a-429'],
  ['too many requests', 'guides/limits.html#what-to-do-on-a-429'],
  ['401 unauthorized', 'errors.html#api_key_missing'],
  ['maximum page size', 'guides/paging.html#one-page'],
  ['when will GET /pets/{petId} stop working', 'guides/deprecations.html#getpet'],
  ['list of error codes', 'errors.html'],
  ['authentication', 'guides/keys.html'],
  ['key leaked', 'guides/keys.html#when-a-key-leaks'],
  ['rate_limited', 'errors.html#rate_limited'],
  ['delete pet', 'guides/pets.html#delete-an-animal'],
  ['retry after timeout', 'guides/repeat-safe-creation.html#retry-after-a-timeout'],
  ['depricated', 'guides/versions.html#deprecated-operations'],
  ['5 december 2030', 'guides/deprecations.html#getpet'],
  ['upgrade plan', 'guides/limits.html#change-your-plan'],
  ['idempotancy key', 'guides/repeat-safe-creation.html#send-an-idempotency-key'],
  ['npm install', 'guides/client.html#install-it'],
  ['react hooks', 'guides/client-reference.html#react'],
  ['listPets', 'operations/listPets.html'],
  ['cancel order', 'operations/cancelOrder.html'],
  ['If-None-Match', 'guides/paging.html#download-only-what-has-changed'],
  ['pet_has_order', 'errors.html#pet_has_order'],
])('"%s" leads to %s with one of the first three results', (words, url) => {
  const first = search(words).slice(0, 3);
  expect(first.map((finding) => finding.url)).toContain(url);
});

test('if no page has all words, those with some of them are found; for unknown words, none', () => {
  expect(search('zebra limits').map(({ url }) => url)).toContain('guides/limits.html');
  expect(search('zebra quagga')).toEqual([]);
});
