import { expect, test } from '@jest/globals';
import { issuesOf } from './index.ts';

test('the details of an error are at the fields of its form', () => {
  const details = [
    { where: 'body/title', what: 'is required' },
    { where: 'body/tags/2/a~1b', what: 'must be a string' },
    { where: 'query/limit', what: 'must be at most 100' },
    { where: 'body', what: 'must be an object' },
  ];
  expect(issuesOf<{ title: string }>({ code: 'invalid_request', details })).toEqual([
    { message: 'is required', path: ['title'], field: 'title' },
    { message: 'must be a string', path: ['tags', 2, 'a/b'], field: 'tags' },
    { message: 'must be at most 100', path: ['limit'], field: 'limit' },
    { message: 'must be an object', path: [], field: undefined },
  ]);
});

test.each([undefined, null, 'failed', new TypeError('failed'), { details: 'none' }])('%p has no issues', (error) => {
  expect(issuesOf(error)).toEqual([]);
});
