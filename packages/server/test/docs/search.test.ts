/** Not prose: the words that readers type into the search box. */
import { expect, test } from '@jest/globals';
import { readChangelog } from '../../../tooling/src/docs/changelog/changelog.ts';
import { clientPages } from '../../../tooling/src/docs/guides/client-pages.ts';
import { readGuides } from '../../../tooling/src/docs/guides/read-guides.ts';
import { searchEntries } from '../../../tooling/src/docs/search/build-index.ts';
import { createSearch, type Finding } from '../../../tooling/src/docs/search/find.ts';
import { siteSettings } from '../../../tooling/src/docs/site-settings.ts';
import { bundleContract } from '../../../tooling/src/effective/bundle.ts';
import { planRelease } from '../../../tooling/src/release/plan.ts';

const { document: contract } = bundleContract();
const changelog = readChangelog(await planRelease(new Date()), []);
const entries = searchEntries(contract, [...readGuides(contract), ...clientPages(contract)], changelog);
const search = createSearch({ entries, synonyms: siteSettings.synonyms });

function found(words: string): Finding[] {
  return search(words).groups.flatMap(({ findings }) => findings);
}

// Typical searches of partners, and the page that answers each.
test.each([
  ['pagination', 'guides/paging.html'],
  ['next page', 'guides/paging.html'],
  ['sort order', 'guides/paging.html#order-of-the-entries'],
  ['too many requests', 'guides/limits.html#what-to-do-on-a-429'],
  ['429', 'guides/limits.html#what-to-do-on-a-429'],
  ['bans', 'guides/limits.html#bans'],
  ['rate limit', 'guides/limits.html#plans'],
  ['authentication', 'guides/keys.html'],
  ['how do I log in', 'guides/keys.html'],
  ['api key', 'guides/keys.html'],
  ['key leaked', 'guides/keys.html#when-a-key-leaks'],
  ['sdk', 'guides/client.html'],
  ['install the client', 'guides/client.html#install-it'],
  ['python', 'guides/python.html'],
  ['java', 'guides/java.html'],
  ['php', 'guides/first-call.html'],
  ['ruby', 'guides/import.html#other-programming-languages'],
  ['postman', 'guides/import.html#postman'],
  ['sandbox', 'guides/practise.html'],
  ['staging', 'guides/practise.html'],
  ['support contact', 'guides/errors.html#get-help'],
  ['error codes', 'guides/errors.html'],
  ['rate_limited', 'errors.html#rate_limited'],
  ['webhook', 'guides/events.html'],
  ['polling', 'guides/events.html'],
  ['cors', 'guides/cors.html'],
  ['delete pet', 'guides/pets.html#delete-an-animal'],
  ['update status', 'guides/pets.html#change-an-animal'],
  ['filter by category', 'guides/pets.html#find-animals'],
  ['price', 'guides/features.html#images-prices-and-payments'],
  ['timestamp', 'guides/data-model.html#dates-and-times'],
  ['retry after timeout', 'guides/repeat-safe-creation.html#retry-after-a-timeout'],
  ['duplicate', 'guides/repeat-safe-creation.html#send-an-idempotency-key'],
  ['caching', 'guides/conditional-requests.html#download-only-what-has-changed'],
  ['depricated', 'guides/versions.html#deprecated-operations'],
  ['definition', 'guides/glossary.html'],
  ['how do I get an api key', 'guides/first-call.html#1-get-an-api-key'],
  ['bulk create', 'guides/features.html#bulk-operations-import-and-export'],
  ['import csv', 'guides/features.html#bulk-operations-import-and-export'],
  ['ruby sdk', 'guides/import.html#other-programming-languages'],
  ['mark as sold', 'guides/orders.html#mark-an-animal-as-sold'],
  ['undo delete', 'guides/features.html#undo-restore-and-history'],
  ['5 december 2030', 'guides/deprecations.html#getpet'],
  ['total count', 'guides/features.html#total-count'],
  ['etag mismatch', 'guides/conditional-requests.html'],
  ['network timeout', 'guides/repeat-safe-creation.html#retry-after-a-timeout'],
  ['upgrade plan', 'guides/limits.html#change-your-plan'],
  ['ip whitelist', 'guides/features.html#ip-allowlist'],
  ['status page', 'guides/features.html#status-page-and-maintenance'],
  ['sla uptime', 'guides/features.html#sla-and-uptime'],
  ['test mode', 'guides/practise.html'],
  ['idempotancy key', 'guides/repeat-safe-creation.html#send-an-idempotency-key'],
  ['requests being blocked', 'guides/limits.html#bans'],
  ['same pet created twice', 'guides/repeat-safe-creation.html#send-an-idempotency-key'],
  ['openapi file download', 'guides/import.html#openapi-file'],
  ['curl version', 'guides/first-call.html#2-call-the-api'],
  ['max body size', 'guides/limits.html#other-limits'],
  ['lost my api key', 'guides/keys.html#what-a-key-looks-like'],
  ['ECONNRESET', 'guides/repeat-safe-creation.html#retry-after-a-timeout'],
  ['PUT vs PATCH', 'guides/pets.html#change-an-animal'],
  ['unexpected token < in json', 'guides/errors.html#handle-errors'],
  ['gdpr personal data', 'guides/features.html#privacy-and-personal-data'],
  ['react hooks', 'guides/client-reference.html#react'],
])('the first result for "%s" is %s', (words, address) => {
  expect(found(words)[0]?.address).toBe(address);
});

test.each([
  ['listPets', 'List animals (listPets)'],
  ['cancel order', 'Cancel an order (cancelOrder)'],
  ['If-None-Match', 'If-None-Match'],
  ['expiresAt', 'Key.expiresAt'],
  ['pet_has_order', 'pet_has_order'],
])('"%s" finds the entry %s of the contract', (words, title) => {
  expect(found(words).map((finding) => finding.title)).toContain(title);
});

test('a phrase with a word that is not in the index means more than its other word', () => {
  expect(found('order by').map(({ address }) => address)).toContain('guides/paging.html#order-of-the-entries');
  expect(found('expired order')[0]?.address).not.toBe('guides/paging.html#order-of-the-entries');
  expect(found('what is in the logs').map(({ address }) => address)).not.toContain('guides/keys.html');
});

test('the order of the words does not matter', () => {
  expect(found('requests too many').map(({ address }) => address)).toContain('guides/limits.html#what-to-do-on-a-429');
  expect(found('order cancel')).toEqual(found('cancel order'));
});

test('the results are in groups, and no group hides the others', () => {
  const groups = search('limit').groups.map(({ name, findings }) => ({ name, count: findings.length }));
  expect(groups.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Guides', 'Parameters and fields', 'Error codes']),
  );
  const shown = groups.map(({ count }) => count);
  expect(Math.max(...shown)).toBe(5);
  expect(search('limit').note).toMatch(
    new RegExp(`^Showing ${shown.reduce((sum, count) => sum + count)} of \\d+ results$`),
  );
});

test('if no entry has all the words, the search says so, and shows entries with some of them', () => {
  const { groups, note } = search('zebra etag');
  expect(note).toBe('No page contains all the words of “zebra etag”. These results contain some of them.');
  expect(groups[0]?.findings[0]?.title).toMatch(/ETag/);
});

test('if nothing is found, the search says so, and suggests pages to start with', () => {
  const { groups, note } = search('zebra quagga');
  expect(note).toMatch(/^No results for “zebra quagga”\./);
  expect(groups).toMatchObject([{ name: 'Try this', findings: expect.arrayContaining([expect.anything()]) }]);
});
