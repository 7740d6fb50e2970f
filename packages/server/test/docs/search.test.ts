/** Not prose: the words that readers type into the search box. */
import { expect, test } from '@jest/globals';
import { readChangelog } from '../../../tooling/src/docs/changelog/changelog.ts';
import { clientReference } from '../../../tooling/src/docs/guides/client-pages.ts';
import { readGuides } from '../../../tooling/src/docs/guides/read-guides.ts';
import { searchEntries } from '../../../tooling/src/docs/search/build-index.ts';
import { createSearch, type Finding } from '../../../tooling/src/docs/search/find.ts';
import { siteSettings } from '../../../tooling/src/docs/site-settings.ts';
import { bundleContract } from '../../../tooling/src/effective/bundle.ts';
import { planRelease } from '../../../tooling/src/release/plan.ts';

const { document: contract } = bundleContract();
const changelog = readChangelog(await planRelease(new Date()));
const entries = searchEntries(contract, [...readGuides(contract), clientReference(contract)], changelog);
const search = createSearch({ entries, synonyms: siteSettings.synonyms });

function found(words: string): Finding[] {
  return search(words).groups.flatMap(({ findings }) => findings);
}

// Typical searches of partners, and the page that answers each.
test.each([
  ['next page', 'guides/paging.html'],
  ['429', 'guides/limits.html#what-to-do-on-a-429'],
  ['how do I log in', 'guides/keys.html'],
  ['key leaked', 'guides/keys.html#when-a-key-leaks'],
  ['rate_limited', 'errors.html#rate_limited'],
  ['delete pet', 'guides/pets.html#delete-an-animal'],
  ['retry after timeout', 'guides/repeat-safe-creation.html#retry-after-a-timeout'],
  ['depricated', 'guides/versions.html#deprecated-operations'],
  ['5 december 2030', 'guides/deprecations.html#getpet'],
  ['upgrade plan', 'guides/limits.html#change-your-plan'],
  ['idempotancy key', 'guides/repeat-safe-creation.html#send-an-idempotency-key'],
  ['same pet created twice', 'guides/repeat-safe-creation.html#send-an-idempotency-key'],
  ['ECONNRESET', 'guides/repeat-safe-creation.html#retry-after-a-timeout'],
  ['unexpected token < in json', 'guides/errors.html#handle-errors'],
  ['react hooks', 'guides/client-reference.html#react'],
])('the first result for "%s" is %s', (words, address) => {
  expect(found(words)[0]?.address).toBe(address);
});

test.each([
  ['listPets', 'List animals (listPets)'],
  ['cancel order', 'Cancel an order (cancelOrder)'],
  ['If-None-Match', 'List animals (listPets)'],
  ['expiresAt', 'Get your API key (getKey)'],
  ['pet_has_order', 'pet_has_order'],
])('"%s" finds the entry %s of the contract', (words, title) => {
  expect(found(words).map((finding) => finding.title)).toContain(title);
});

test('if nothing is found, the search says so, and suggests pages to start with', () => {
  const { groups, note } = search('zebra quagga');
  expect(note).toMatch(/^No results for “zebra quagga”\./);
  expect(groups).toMatchObject([{ name: 'Try this', findings: expect.arrayContaining([expect.anything()]) }]);
});
