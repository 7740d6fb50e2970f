/** What callers in JavaScript do wrong, because no compiler tells them. */
import { expect, test } from '@jest/globals';
import { createClient } from './client.ts';

const contract = { name: 'field-notes', version: '1.0.0', idempotentOperations: [], requestMediaTypes: {} };
const create = (options?: unknown) => createClient(contract, Object(options));
const given = { apiKey: 'key', baseUrl: 'https://notes.example' };

test('a client without options says which it needs', () => {
  const createUntyped: (...values: unknown[]) => unknown = Object(createClient);
  const words = 'Pass the options of the client: { apiKey, baseUrl }. You passed undefined.';
  expect(() => createUntyped(contract)).toThrow(new TypeError(words));
  expect(() => createUntyped(contract, null)).toThrow(/passed null/);
});

test.each<[options: object, words: string]>([
  [{ apiKey: undefined }, '`apiKey` is undefined. Pass your API key, and check that the variable with the key is set.'],
  [
    { baseUrl: 'localhost:3000' },
    '`baseUrl` is localhost:3000. Pass a URL with its scheme, such as http://localhost:3000.',
  ],
  [
    { baseUrl: 'api.example/v1' },
    '`baseUrl` is api.example/v1. Pass a URL with its scheme, such as https://api.example/v1.',
  ],
  [{ baseUrl: undefined }, '`baseUrl` is undefined. Pass a URL with its scheme, such as https://api.example.com.'],
  [{ validate: true }, '`validate` must be a function, or false. Leave it out for the default.'],
  [
    { gate: true },
    '`gate` must be a gate, such as the result of `shareAcrossTabs()`, or false. Leave it out for the default.',
  ],
  [{ onEvent: {} }, '`onEvent` must be a function. Leave it out for the default.'],
  [{ logger: true }, '`logger` must be an object with functions such as `warn`. Leave it out for the default.'],
])('options with %p are refused', (options, words) => {
  expect(() => create({ ...given, ...options })).toThrow(new TypeError(words));
});

test.each(['apikey', 'maxRetires'])(
  'an option that does not exist is refused, before one that is missing: %s',
  (name) => {
    const { baseUrl } = given;
    const words = `\`${name}\` is not an option of a client. Use \`apiKey\`, \`baseUrl\`, \`fetch\`, `;
    expect(() => create({ [name]: 3, baseUrl })).toThrow(words);
  },
);
