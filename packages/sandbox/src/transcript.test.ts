import { expect, test } from '@jest/globals';
import { shown } from './transcript.ts';

const secret = `key_test_${'q'.repeat(30)}`;
const encoded = [...secret].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');

test.each([
  ['a secret', `/notes/${secret}`, '/notes/key_test_…'],
  ['an encoded secret', `/notes?q=${encoded}`, '/notes?q=key_test_…'],
])('a URL without %s', (_, url, expected) => {
  expect(shown(url)).toBe(expected);
});

test('a URL keeps what is encoded because it has a meaning', () => {
  expect(shown('/notes%2F1?q=%26%3d%20%ff')).toBe('/notes%2F1?q=%26%3d%20%ff');
});
