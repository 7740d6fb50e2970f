import { expect, test } from '@jest/globals';
import { methodNameOf, pathOf } from './method-names.ts';

test.each([
  ['listBooks', 'Books', 'books.list'],
  ['getBookPhoto', 'Books', 'books.getPhoto'],
  ['listBooksByOwner', 'Books', 'books.listByOwner'],
  ['bookmark', 'Books', 'books.bookmark'],
  ['getCategory', 'Categories', 'categories.get'],
  ['deleteBox', 'Boxes', 'boxes.delete'],
  ['setHTTPAddress', 'Book addresses', 'bookAddresses.setHttpAddress'],
  ['moveBookAddress', 'Book addresses', 'bookAddresses.move'],
  ['search', 'Books', 'books.search'],
])('%s with the tag %s is %s', (operationId, tag, path) => {
  expect(pathOf(methodNameOf({ operationId, tags: [tag] }))).toBe(path);
});

test('x-method-name replaces the method name, and the name of a beta operation shows that it is beta', () => {
  const operation = { operationId: 'listBooks', tags: ['Books'], 'x-method-name': 'find', 'x-stability': 'beta' };
  expect(methodNameOf(operation)).toEqual({
    isBeta: true,
    group: 'books',
    method: 'find',
    functionName: 'betaListBooks',
  });
  expect(pathOf(methodNameOf(operation))).toBe('beta.books.find');
});
