import { expect, test } from '@jest/globals';
import { assertSupportedVersion } from '../../../../service/src/openapi/document.ts';
import { contractDocument } from '../../contract.ts';

test.each(['3.2.0', '4.0.0', '3.0.3', '2.0', '3.1', '', 3.1, undefined])(
  'the server does not start with OpenAPI %j',
  (openapi) => {
    expect(() => assertSupportedVersion({ ...contractDocument, openapi })).toThrow('the server supports 3.1 only');
  },
);

test('the server starts with every patch version of OpenAPI 3.1', () => {
  for (const openapi of ['3.1.0', '3.1.1', '3.1.2']) assertSupportedVersion({ ...contractDocument, openapi });
  expect(contractDocument.openapi).toBe('3.1.0');
});
