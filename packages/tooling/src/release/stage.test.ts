import { expect, test } from '@jest/globals';
import { withAbsoluteLinks } from './stage.ts';

const places = { docs: 'https://api.example/docs/', repository: 'https://git.example/store' };

test('links of a README lead to the docs, or to the repository for other files', () => {
  const text = `[a](../../docs/guides/errors.md#codes) [b](../../examples/react-catalogue) [c](#react) [d](https://mswjs.io)`;
  expect(withAbsoluteLinks(text, 'packages/client', places)).toBe(
    '[a](https://api.example/docs/guides/errors.html#codes) [b](https://git.example/store/blob/main/examples/react-catalogue) [c](#react) [d](https://mswjs.io)',
  );
});

test('links between the documents of a package work where it is installed', () => {
  const text = '[a](../README.md#errors) [b](./react.md) [c](../../client-core/README.md) [d](../../../openapi.yaml)';
  expect(withAbsoluteLinks(text, 'packages/client/docs', places)).toBe(
    '[a](../README.md#errors) [b](./react.md) [c](https://git.example/store/blob/main/packages/client-core/README.md) [d](https://api.example/docs/openapi.yaml)',
  );
});

test('a link to a file that does not exist is refused', () => {
  expect(() => withAbsoluteLinks('[a](../../docs/none.md)', 'packages/client', places)).toThrow(
    'links to ../../docs/none.md',
  );
});
