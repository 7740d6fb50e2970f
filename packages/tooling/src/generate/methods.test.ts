import { describe, expect, test } from '@jest/globals';
import { booksContract } from '../../test/books-fixture.ts';
import { editedContract } from '../../test/edits.ts';
import { museumContract } from '../../test/museum-fixture.ts';
import { generateMethods } from './methods.ts';
import { openapiTypescript } from './types.ts';

const document = booksContract();
const files = generateMethods(document, await openapiTypescript(document));
const operations = files['operations.ts'] ?? '';

/** The comment above a line of the generated functions. */
function commentOn(start: string): string {
  return operations.split(start)[0]?.split('/**').at(-1) ?? '';
}

describe('a function has in its comment', () => {
  test('the description of the operation in the contract, and its parameters have theirs', () => {
    const comment = commentOn('export function listBooks(');
    expect(comment).toContain(' * List books\n *\n * Returns one page of books');
    expect(comment).toContain(' * `GET /books`');
    const [, params = ''] = /type ListBooksParams = (\{.*?\n\});/s.exec(operations) ?? [];
    expect(params).toContain('   * Return only books with this status.');
    expect(operations).toContain('/** The book to add. */\n  body: ');
    expect(comment).not.toMatch(/@beta|@deprecated/);
  });

  test('its replacement and its last day if it is deprecated, and @beta if it is beta', () => {
    const deprecated = '@deprecated Will be removed on 5 December 2030. Use `store.books.list` (`listBooks`) instead.';
    expect(commentOn('export function getBook(')).toContain(deprecated);
    expect(commentOn('    get(params: GetBookParams')).toContain(deprecated);
    expect(files['queries.ts']).toContain('Will be removed on 5 December 2030. Use `queries.books.list` instead.');
    expect(commentOn('export function betaListLoans(')).toContain('@beta');
  });
});

test('a comment in the contract cannot end the one in the code', async () => {
  const edited = editedContract(document, [{ at: '#/paths/~1books/get/summary', value: 'List */ books' }]);
  expect(generateMethods(Object(edited), await openapiTypescript(edited))['operations.ts']).toContain(
    'List *\\/ books',
  );
});

test('of several parameters of one name, and of the name body, all but the first have their place in their name', async () => {
  const query = ['bookId', 'body', 'bookId_query'].map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
  const { get } = document.paths['/books/{bookId}'] ?? {};
  const at = '#/paths/~1books~1{bookId}/get/parameters';
  const edited = editedContract(document, [{ at, value: [...query, ...(get?.parameters ?? [])] }]);
  const generated = generateMethods(Object(edited), await openapiTypescript(edited));
  const [, params = ''] = /type GetBookParams = (\{.*?\n\});/s.exec(generated['operations.ts'] ?? '') ?? [];
  expect(params).toMatch(/bookId: .*"bookId_query"\?: .*"body_query"\?: .*bookId_query_query"\?: /s);
  expect(generated['requests.ts']).toContain(
    '"query":["bookId_query","body_query","bookId_query_query"],"renamed":{"bookId_query":"bookId","body_query":"body","bookId_query_query":"bookId_query"}',
  );
  expect(generated['paths.ts']).toContain('"bookId"?: GetBookParams["bookId_query"] | undefined;');
});

test('the code imports nothing that only a comment names', async () => {
  const operation = {
    ...{
      operationId: 'useRoom',
      tags: ['Rooms'],
      summary: 'Use this to list (or call) what a query, ListItem or mutation needs',
    },
    responses: { 200: { description: 'A room.' } },
  };
  const contract = museumContract({ paths: { '/rooms': { get: operation } } });
  const museum = generateMethods(contract, await openapiTypescript(contract));
  const imports = (file: string) => museum[file]?.match(/^import .*$/gm)?.join('\n') ?? '';
  expect(imports('operations.ts')).not.toMatch(/\b(list|ListCall|ListItem)\b/);
  expect(imports('queries.ts')).not.toMatch(/\b(listQuery|ListQuery|ListItem)\b/);
  expect(imports('operations.ts')).toMatch(/\bcall\b/);
});

test('an API that only reads has no mutations, and no parameter that is unused', async () => {
  const { paths, ...rest } = museumContract();
  const reading = Object.fromEntries(Object.entries(paths).filter(([path]) => path === '/rooms/{roomId}'));
  const contract = { ...rest, paths: reading };
  const queries = generateMethods(contract, await openapiTypescript(contract))['queries.ts'];
  expect(queries).toContain('export function namedQueries(store: Caller)');
  expect(queries).toContain('export function namedMutations(_store: Caller)');
});
