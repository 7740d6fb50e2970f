/** What callers in JavaScript do wrong, because no compiler tells them. */
import { expect, test } from '@jest/globals';
import { createClient } from './client.ts';

const contract = { name: 'field-notes', version: '1.0.0', idempotentOperations: [], requestMediaTypes: {} };
const given = { apiKey: 'key', baseUrl: 'https://notes.example' };

test.each<[options: object, words: string]>([
  [{ apiKey: undefined }, '`apiKey` is undefined. Pass your API key, and check that the variable with the key is set.'],
  [{ baseUrl: 'localhost:3000' }, '`baseUrl` must be a URL with https://, not localhost:3000.'],
  [{ baseUrl: undefined }, '`baseUrl` must be a URL with https://, not undefined.'],
  [{ maxRetires: 3 }, '`maxRetires` is not an option of a client. Use `apiKey`, `baseUrl`, `fetch`, '],
])('options with %p are refused', (options, words) => {
  expect(() => createClient(contract, { ...given, ...Object(options) })).toThrow(words);
});
