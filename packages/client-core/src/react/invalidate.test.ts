import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import { invalidate } from './index.ts';

const environment = process.env['NODE_ENV'];
const info = jest.spyOn(console, 'info').mockImplementation(() => {});
beforeEach(() => {
  info.mockClear();
});
afterEach(() => {
  process.env['NODE_ENV'] = environment;
});

function setUp(mode: string) {
  process.env['NODE_ENV'] = mode;
  const queryClient = new QueryClient();
  queryClient.setQueryData(['get', '/notes'], []);
  queryClient.setQueryData(['get', '/notes/{noteId}', { params: { path: { noteId: 7 } } }], {});
  return { queryClient, words: () => info.mock.calls.map(String) };
}

test('a path without data in the cache is named in development, because it may be misspelled', async () => {
  const { queryClient, words } = setUp('development');
  await invalidate<Record<string, object>>(queryClient, '/notes', '/note', '/notes/7');
  expect(words()).toEqual([
    'invalidate: the cache has no data of /note. It has data of /notes, /notes/{noteId}.',
    'invalidate: the cache has no data of /notes/7. It has data of /notes, /notes/{noteId}.',
  ]);
});

test.each(['production', 'test'])('%s logs nothing', async (mode) => {
  const { queryClient, words } = setUp(mode);
  await invalidate<Record<string, object>>(queryClient, '/note');
  expect(words()).toEqual([]);
});
