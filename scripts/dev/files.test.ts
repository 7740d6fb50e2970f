import { expect, test } from '@jest/globals';
import { asksFor, isOfInterest } from './files.ts';

test.each([
  ['packages/server/src/app.ts', true],
  ['packages/server/src/operations/storage/migrations/sqlite/0001-start.sql', true],
  ['packages/contract/src/generated/openapi.json', true],
  ['scripts/lint/operations.yaml', true],
  ['scripts/docs/reference/template.hbs', true],
  ['scripts/docs/style/site.css', true],
  ['docs/guides/keys.md', true],
  ['docs/workflows/first-animal.arazzo.yaml', true],
  ['docs/operate.md', false],
  ['packages/server/src/app.test.ts', false],
  ['packages/server/test/harness.ts', false],
  ['packages/server/src/app.ts~', false],
  ['packages/server/src/.#app.ts', false],
  ['packages/server/package.json', false],
])('%s: %s', (path, expected) => {
  expect(isOfInterest(path)).toBe(expected);
});

test('what a change asks for', () => {
  const paths = [
    'openapi.yaml',
    'docs/guides/keys.md',
    '.redocly.yaml',
    'scripts/lint/plugin.ts',
    'packages/server/src/app.ts',
  ];
  expect(asksFor(paths)).toEqual({
    contract: ['openapi.yaml', 'docs/guides/keys.md'],
    tools: ['.redocly.yaml', 'scripts/lint/plugin.ts'],
    server: ['packages/server/src/app.ts'],
  });
});
