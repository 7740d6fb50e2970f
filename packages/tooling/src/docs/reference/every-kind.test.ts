import { expect, test } from '@jest/globals';
import { secondContract } from '../../../test/second-contract-fixture.ts';
import { referenceMarkdown } from '../operations/operation-files.ts';
import { forReaders } from '../reader-document.ts';
import { contractEntries } from '../search/build-index.ts';

const contract = secondContract();
const shown = forReaders(contract, (path) => path);
const markdown = String(referenceMarkdown(contract).content);
const entries = contractEntries(contract);

function sectionOf(title: string): string {
  return markdown.split(/^## /m).find((section) => section.startsWith(`${title}\n`)) ?? '';
}

test('the reference says which key an operation needs, and that a public one needs none', () => {
  const descriptionOf = (path: string, method: 'get' | 'post') => shown.paths[path]?.[method]?.description;
  expect(descriptionOf('/about', 'get')).toBe('**Public:** no API key required.\n\nDescribe the store.');
  expect(descriptionOf('/notes', 'get')).toMatch(/^Requires an API key with the `read` or `write` scope\.\n/);
  expect(descriptionOf('/notes', 'post')).toMatch(/^Requires an API key with the `write` scope\.\n/);
  expect(sectionOf('Describe the store')).toContain('**Public:** no API key required.');
  expect(sectionOf('Add a note')).toContain('Requires an API key with the `write` scope.');
});

test('the reference of a contract without scopes, such as the first release, names none', () => {
  const unscoped = { ...contract, security: [{ apiKey: [] }] };
  expect(forReaders(unscoped, String).paths['/notes']?.['get']?.description).toBe('List notes.');
});

test('a webhook needs no key in the reference, has a section in the Markdown, and can be found by the search', () => {
  expect(shown.webhooks?.['noteCreated']?.['post']).toMatchObject({
    security: [],
    description: expect.stringMatching(/^\*\*Webhook:\*\* /),
  });
  expect(markdown).toContain('## A note was added\n\nWebhook `noteCreated`');
  expect(entries.find(({ title }) => title === 'A note was added (noteCreated)')).toMatchObject({
    group: 'Webhook',
    address: 'operations/noteCreated.html',
  });
});

test('the search keeps an asterisk in backticks, and removes those for emphasis', () => {
  const description = 'An `ETag`, or `*` for **any** *version*.';
  const headers = { ...contract.components.headers, 'X-Version': { description, schema: {} } };
  const found = contractEntries({ ...contract, components: { ...contract.components, headers } });
  expect(found.find(({ title }) => title === 'X-Version')?.text).toBe('An ETag, or * for any version.');
});

test('header parameters and media types are in the Markdown and in the search', () => {
  const all = markdown.split(/^## (?=Change a note$)/m)[1] ?? '';
  expect(all).toContain('- **`If-Match`** *string, required*');
  expect(all).toContain('`application/merge-patch+json`');
  expect(entries.find(({ title }) => title === 'X-Region')?.address).toBe('operations/listNotes.html');
  expect(entries.find(({ title }) => title.endsWith('(setPhoto)'))?.keywords).toContain('image/png');
});
