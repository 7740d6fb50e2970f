import { describe, expect, test } from '@jest/globals';

import { requestIdFrom } from './context.ts';

const newId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the request ID', () => {
  test.each(['a', '0', 'Note-7.retry_2', '-', '..', 'x'.repeat(128)])(
    'is the X-Request-Id that was sent: %s',
    (sent) => {
      expect(requestIdFrom(sent)).toBe(sent);
    },
  );

  test.each([
    ['none', undefined],
    ['one that is too long', 'x'.repeat(129)],
    ['two in one header', 'a, b'],
    ['one header in a list', ['a']],
    ['one that ends in a newline', 'a\n'],
    ['one with non-ASCII letters', 'é'],
    ['an API key', `fn_live_${'x'.repeat(49)}`],
  ])('is replaced by a new one if it is %s', (_, sent) => {
    expect(requestIdFrom(sent)).toMatch(newId);
  });
});
