import { expect, test } from '@jest/globals';
import { booksContract } from '../../../test/books-fixture.ts';
import { secondContract } from '../../../test/second-contract-fixture.ts';
import { operationDocuments } from './documented.ts';
import { constraintsOf, typeInWords } from './fields.ts';
import { operationMarkdown } from './markdown.ts';
import { operationFiles } from './operation-files.ts';

const books = booksContract();
const second = secondContract();

function markdownOf(id: string, contract = books): string {
  const all = operationDocuments(contract);
  const operation = all.find((one) => one.id === id);
  return operation === undefined ? '' : operationMarkdown(contract, operation);
}

test.each([
  [
    { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    'integer',
    'Minimum: `1`. Maximum: `100`. Default: `20`.',
  ],
  [{ type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }, 'integer', ''],
  [{ type: ['string', 'null'], maxLength: 1 }, 'string or null', 'Maximum length: `1`.'],
  [{ type: 'string', pattern: '^a$', 'x-pattern-says': 'must be an a' }, 'string', 'It must be an a.'],
  [{ enum: ['a', 'b'] }, 'string', 'One of: `a`, `b`.'],
  [
    { type: 'array', minItems: 1, items: { type: 'integer', minimum: 1 } },
    'array of integers',
    'Minimum items: `1`. Each item: Minimum: `1`.',
  ],
  [{ allOf: [{ type: 'string' }, { const: 'a' }] }, 'string', 'Always: `a`.'],
])('%j is put into words', (schema, type, constraints) => {
  expect(typeInWords(books, schema)).toBe(type);
  expect(constraintsOf(books, schema)).toBe(constraints);
});

test('an operation shows parameters, fields, responses, errors with links, its own headers, samples and examples', () => {
  const text = markdownOf('createBook');
  expect(text).toContain('Requires an API key with the `write` scope.');
  expect(text).toMatch(/- \*\*`name`\*\* \*string, required\*\n\n {2}The book's name/);
  expect(text).toContain('| 422 [`idempotency_key_reused`](../errors.md#idempotency_key_reused) |');
  expect(text).toContain('at most 64 KiB');
  for (const title of ['### curl', '### TypeScript', '### Python', '### Java', '### 201 Created: The book with its ID'])
    expect(text).toContain(title);
  // Two examples of the contract have this code.
  expect(text.match(/errors\.md#api_key_invalid\)/g)).toHaveLength(1);
  // Only deprecated and beta operations send these.
  expect(text).not.toMatch(/Sunset|Deprecation|X-Stability/);
});

test('every documented status has an example on the page, or says that it has no body', () => {
  for (const contract of [books, second])
    for (const operation of operationDocuments(contract))
      for (const { media, title } of operation.responses)
        expect([operation.id, title, media.every(({ examples }) => examples.length > 0)]).toEqual([
          operation.id,
          title,
          true,
        ]);
});

test('a deprecated operation links to its successor and to the guide, with its dates', () => {
  expect(markdownOf('getBook')).toContain(
    '> **Deprecated** since 20 November 2026. It will be removed on 5 December 2030. Use [List books](listBooks.md) instead. ' +
      '[How to migrate](../guides/deprecations.md#getbook)',
  );
  expect(markdownOf('cancelLoan')).toContain('> **Beta.**');
});

test('a contract with every feature has pages for streams, files, variants of a body and public operations', () => {
  expect(markdownOf('setPhoto', second)).toContain('`image/png`, at most 200,000 bytes');
  expect(markdownOf('checkArchive', second)).toContain('`application/octet-stream`, sent as a stream');
  expect(markdownOf('createNote', second)).toMatch(/`NewTextNote`:\n\n[\s\S]*`NewPhotoNote`:/);
  expect(markdownOf('getAbout', second)).toContain('**Public:** no API key required.');
  expect(markdownOf('deleteNote', second)).toContain('### 204 No Content\n\nThe note is deleted. No body.');
  const pages = operationFiles(second).filter(({ path }) => path.endsWith('.html'));
  expect(pages).toHaveLength(operationDocuments(second).length + 1);
});

test('a DELETE must be confirmed, and other writes say that they change data', () => {
  const page = (id: string) =>
    String(operationFiles(books).find(({ path }) => path === `operations/${id}.html`)?.content ?? '');
  expect(page('deleteBook')).toMatch(/<input type="checkbox" required>/);
  expect(page('createBook')).toContain('This request changes data on this server.');
  expect(page('listBooks')).not.toContain('try-warning');
});
