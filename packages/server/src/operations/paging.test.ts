import { describe, expect, test } from '@jest/globals';
import { cursorAfter, readCursor } from './paging.ts';

describe('a cursor', () => {
  test.each([1, 9, 20, 12_345, 2 ** 31, 2 ** 53 - 1])('decodes to the ID that it was made from: %i', (id) => {
    expect(readCursor('listPets', cursorAfter('listPets', id))).toBe(id);
  });

  test('needs no escaping in a URL, and matches the contract', () => {
    for (const id of [1, 20, 2 ** 53 - 1]) expect(cursorAfter('listPets', id)).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
  });

  test('differs for each ID', () => {
    const cursors = Array.from({ length: 1_000 }, (_, id) => cursorAfter('listPets', id));
    expect(new Set(cursors).size).toBe(1_000);
  });

  test('never changes its format, because callers store URLs', () => {
    expect(cursorAfter('listPets', 20)).toBe('YWZ0ZXI6MjA');
  });
});

test('a cursor of one listing is refused by another', () => {
  expect(readCursor('listOrders', cursorAfter('listOrders', 20))).toBe(20);
  for (const [giver, taker] of [
    ['listPets', 'listOrders'],
    ['listOrders', 'listPets'],
  ] as const) {
    expect(() => readCursor(taker, cursorAfter(giver, 20))).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [expect.objectContaining({ where: 'query/cursor' })],
      }),
    );
  }
});

describe('a cursor that was never issued is refused', () => {
  const encoded = (text: string) => Buffer.from(text).toString('base64url');

  test.each([
    ['empty', ''],
    ['letters', 'abc'],
    ['a plain ID', '20'],
    ['cut off', cursorAfter('listPets', 20).slice(0, -1)],
    ['followed by more text', `${cursorAfter('listPets', 20)}A`],
    ['padded', `${cursorAfter('listPets', 20)}=`],
    ['in the other base64 alphabet', '+/+/'],
    ['with other bits at its end', 'YWZ0ZXI6MjB'],
    ['with a line break', `${cursorAfter('listPets', 20)}\n`],
    ['without ID', encoded('after:')],
    ['another word', encoded('before:20')],
    ['capitals', encoded('After:20')],
    ['preceded by more text', encoded('xafter:20')],
    ['a leading zero', encoded('after:020')],
    ['a plus sign', encoded('after:+20')],
    ['a space', encoded('after: 20')],
    ['a line', encoded('after:20\n')],
    ['a fraction', encoded('after:20.5')],
    ['an exponent', encoded('after:2e1')],
    ['hexadecimal', encoded('after:0x14')],
    ['minus zero', encoded('after:-0')],
    ['zero', encoded('after:0')],
    ['a negative ID', encoded('after:-5')],
    ['an ID that would be rounded', encoded('after:9007199254740993')],
    ['no number', encoded('after:NaN')],
    ['SQL', encoded('after:1 OR 1=1')],
  ])('%s: %j', (_, cursor) => {
    expect(() => readCursor('listPets', cursor)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [{ where: 'query/cursor', what: expect.stringContaining('Link header') }],
      }),
    );
  });
});
