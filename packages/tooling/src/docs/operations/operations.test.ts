import { expect, test } from '@jest/globals';
import { booksContract } from '../../../test/books-fixture.ts';
import { secondContract } from '../../../test/second-contract-fixture.ts';
import { rulesInWords, typeInWords } from '../facts/schema-words.ts';
import { operationDocuments } from './documented.ts';
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
  [{ type: 'integer', minimum: 1, maximum: 100, default: 20 }, 'integer', 'From 1 to 100. Default: `20`.'],
  [
    { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    'integer',
    'Between −(2⁵³ − 1) and 2⁵³ − 1.',
  ],
  [{ type: 'number', minimum: 0, exclusiveMaximum: 1000 }, 'number', 'At least 0, less than 1,000.'],
  [{ type: ['string', 'null'], maxLength: 1 }, 'string or null', 'At most 1 character.'],
  [{ type: 'string', pattern: '^a$', 'x-pattern-says': 'must be an a' }, 'string', 'It must be an a.'],
  [{ enum: ['a', 'b'] }, 'string', 'One of `a`, `b`.'],
  [{ type: 'object', minProperties: 1 }, 'object', 'At least 1 property.'],
  [
    { type: 'array', minItems: 1, maxItems: 5, uniqueItems: true, items: { type: 'integer', minimum: 1 } },
    'list of integers',
    '1 to 5 values. No duplicate values. Each value: At least 1.',
  ],
  [{ allOf: [{ type: 'string' }, { const: 'a' }] }, 'string', 'Always `a`.'],
])('%j is put into words', (schema, type, rules) => {
  expect(typeInWords(books, schema)).toBe(type);
  expect(rulesInWords(books, schema).join(' ')).toBe(rules);
});

test('an operation shows parameters, fields, responses, errors with links, its own headers, samples and examples', () => {
  const text = markdownOf('createBook');
  expect(text).toContain('Requires an API key with the `write` scope.');
  expect(text).toMatch(/- \*\*`name`\*\* \*string, required\*\n\n {2}The book's name/);
  expect(text).toContain('| 422 | [`idempotency_key_reused`](../errors.html#idempotency_key_reused) |');
  expect(text).toContain('at most 64 KiB');
  for (const title of ['### curl', '### TypeScript', '### Python', '### Java', '### 201 Created: The book with its ID'])
    expect(text).toContain(title);
  // Two examples of the contract have this code.
  expect(text.match(/errors\.html#api_key_invalid\)/g)).toHaveLength(1);
  // Only deprecated and beta operations send these.
  expect(text).not.toMatch(/Sunset|Deprecation|X-Stability/);
});

test('every response header is described once, on the index, and the pages name those of their responses', () => {
  const headersIn = (text: string) => [...text.matchAll(/^- \*\*`([A-Z][\w-]+)`\*\*/gm)].map(([, name]) => name);
  const index = String(operationFiles(books).find(({ path }) => path === 'operations/index.md')?.content);
  const described = headersIn(index.slice(index.indexOf('## Response headers')));
  expect(described).toEqual([...new Set(described)]);
  expect(described).toEqual(
    expect.arrayContaining(['X-RateLimit-Limit', 'X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'Sunset']),
  );
  expect(markdownOf('createBook')).toMatch(/\[Headers\]\(index\.md#response-headers\): .*`Location`.*`ETag`/);
  expect(markdownOf('getBook')).toMatch(/\[Headers\].*`Sunset`/);
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
      '[How to migrate](../guides/deprecations.html#getbook)',
  );
  expect(markdownOf('cancelLoan')).toContain('> **Beta.**');
});

test('a contract with every feature has pages for streams, files, variants of a body and public operations', () => {
  expect(markdownOf('setPhoto', second)).toContain('`image/png`, at most 200,000 bytes');
  expect(markdownOf('checkArchive', second)).toContain('`application/octet-stream`, sent as a stream');
  expect(markdownOf('createNote', second)).toMatch(/With `kind` `text`:\n\n[\s\S]*With `kind` `photo`:/);
  expect(markdownOf('getAbout', second)).toContain('**Public:** no API key required.');
  expect(markdownOf('deleteNote', second)).toContain('### 204 No Content\n\nThe note is deleted. No body.');
  const pages = operationFiles(second).filter(({ path }) => path.endsWith('.html'));
  expect(pages).toHaveLength(operationDocuments(second).length + 1);
});

test('a DELETE must be confirmed, and other writes say that they change data', () => {
  const page = (id: string) =>
    String(operationFiles(books).find(({ path }) => path === `operations/${id}.html`)?.content ?? '');
  expect(page('deleteBook')).toMatch(/<input type="checkbox" name="confirmed" required>/);
  expect(page('createBook')).toContain('This request changes data on the selected server.');
  expect(page('listBooks')).not.toContain('try-warning');
});
