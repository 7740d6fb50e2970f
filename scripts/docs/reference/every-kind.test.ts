import { expect, test } from '@jest/globals';
import { everyKind } from '../every-kind-fixture.ts';
import { forReaders } from '../reader-document.ts';
import { contractEntries } from '../search/contract-entries.ts';
import { contractUnderTest } from '../site-fixture.ts';
import { referenceMarkdown } from './markdown.ts';

const contract = everyKind(JSON.parse(contractUnderTest().json), 'https://fixture.example/v1');
const shown = forReaders(contract, (path) => path);
const markdown = String(referenceMarkdown(contract).content);
const entries = new Map(contractEntries(contract).map((entry) => [entry.id, entry]));

function sectionOf(title: string): string {
  return markdown.split(/^### /m).find((section) => section.startsWith(`${title}\n`)) ?? '';
}

test('the reference says which key an operation needs, and that a public one needs none', () => {
  expect(shown.paths['/shops']?.['get']?.description).toMatch(/^\*\*Public:\*\* no key needed\.\n\nFind shops\./);
  expect(shown.paths['/notes']?.['post']?.description).toMatch(/^Needs a key with scope `write`\./);
  expect(sectionOf('Find shops')).toContain('**Public:** no key needed.');
  expect(sectionOf('Add a note')).toContain('Needs a key with scope `write`.');
});

test('an operation that inherits a scope names both scopes that suffice; a contract without scopes names none', () => {
  const scoped = { ...contract, security: [{ apiKey: ['read'] }] };
  const described = (document: typeof contract) => forReaders(document, String).paths['/changes']?.['get']?.description;
  expect(described(scoped)).toMatch(/^Needs a key with scope `read` or `write`\./);
  expect(described({ ...contract, ...{ security: [{ apiKey: [] }] } })).toMatch(/^Watch changes\./);
});

test('a webhook is explained in the reference without our keys, has a section in its Markdown, and an entry in the search', () => {
  expect(shown.webhooks?.['petSold']?.['post']).toMatchObject({
    security: [],
    description: expect.stringMatching(/^\*\*Webhook:\*\* /),
  });
  expect(markdown).toContain('## Webhooks\n\n### An animal was sold\n\n`Webhook petSold`');
  expect(entries.get('reference.html#/pets/petsold')).toMatchObject({
    title: 'An animal was sold (petSold)',
    group: 'Webhook',
  });
});

test('header parameters and media types are in the Markdown and in the search', () => {
  expect(sectionOf('Change a profile')).toContain('| `If-Match` | header | The ETag of the version to change. |');
  expect(sectionOf('Change a profile')).toContain('**Request body:** `application/merge-patch+json`');
  expect(sectionOf('Find shops')).toContain('| `X-Region` | header, required | Where to look. |');
  expect(sectionOf('Find shops')).toContain('| `200` | `application/json`, `text/csv` | Shops. |');
  expect(sectionOf('Delete a profile')).toContain('| `204` | none | Done. |');
  expect(entries.get('reference.html#/pets/patchprofile?header=If-Match')).toMatchObject({ title: 'If-Match' });
  expect(entries.get('reference.html#/pets/putphoto')?.keywords).toContain('image/png');
});
