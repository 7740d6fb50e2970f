import { describe, expect, test } from '@jest/globals';
import { contract } from '../../test/toy-contract.ts';
import { ApiError } from './api-error.ts';
import { problemOf } from './error-body.ts';
import { parseJson } from './parse-json.ts';

function parseText(text: string): unknown {
  return parseJson(new TextEncoder().encode(text));
}

/** The ApiError that parsing throws. */
function refusalOf(body: string | Uint8Array): ApiError {
  try {
    typeof body === 'string' ? parseText(body) : parseJson(body);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('The body was not refused.');
}

/** The places that the error details name. */
function placesIn(body: string): string[] {
  return (refusalOf(body).details ?? []).map(({ where }) => where);
}

function nested(open: string, close: string, depth: number, core = ''): string {
  return `${open.repeat(depth)}${core}${close.repeat(depth)}`;
}

describe('a JSON body is read unchanged', () => {
  test.each([
    ['{"name":"Milk","shelfId":3}', { name: 'Milk', shelfId: 3 }],
    [' \t\r\n{ "a" : [ ] } \n', { a: [] }],
    ['[]', []],
    ['null', null],
    ['true', true],
    ['"x"', 'x'],
    ['7', 7],
    ['{"a":1.0,"b":1e2,"c":-0,"d":0.5}', { a: 1, b: 100, c: 0, d: 0.5 }],
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['{"":1}', { '': 1 }],
    ['"\\u0000\\n\\u00e9\\ud83e\\udd84"', '\0\né🦄'],
    ['"é🦄"', 'é🦄'],
  ])('%s', (text, value) => {
    expect(parseText(text)).toEqual(value);
  });

  test.each([
    ['"\\ud800"', 'body'],
    ['{"a":["x","\\udc00\\ud800"]}', 'body/a/1'],
    ['{"\\udfff":1}', 'body'],
    ['{"a/b~c":"\\ud800"}', 'body/a~1b~0c'],
  ])('half of a surrogate pair is refused: %s', (text, where) => {
    expect(() => parseText(text)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [{ where, what: expect.stringContaining('surrogate') }],
      }),
    );
  });

  test.each([1, 2])('a byte order mark is ignored, every time (%i)', () => {
    expect(parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x37))).toBe(7);
  });

  test('a key named __proto__ is a property like any other, and changes no prototype', () => {
    const body = parseText('{"name":"x","__proto__":{"status":"sold"}}');
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(Object.keys(Object(body))).toEqual(['name', '__proto__']);
    expect(body).not.toHaveProperty('status');
    expect({}).not.toHaveProperty('status');
  });
});

describe('a body that is not JSON is refused', () => {
  test.each([
    ['nothing', ''],
    ['whitespace', ' '],
    ['cut off', '{"a":1'],
    ['followed by more text', '{} {}'],
    ['a trailing comma', '[1,]'],
    ['a comment', '{} // x'],
    ['single quotes', "{'a':1}"],
    ['NaN', 'NaN'],
    ['Infinity', '-Infinity'],
    ['a leading zero', '01'],
    ['a bare NUL', '\0'],
    ['a NUL in a string', '"a\0b"'],
    ['followed by a NUL', '{}\0'],
    ['a newline in a string', '"a\nb"'],
    ['an unknown escape', '"\\x41"'],
    ['a no-break space', '\u00a01'],
    ['a second byte order mark', '\ufeff\ufeff1'],
    ['a key twice', '{"name":"a","name":"b"}'],
    ['a repeated key, once escaped', '{"name":"a","n\\u0061me":"b"}'],
    ['a repeated key at a deeper level', '[{"a":{"b":1,"b":2}}]'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}'],
  ])('%s', (_, body) => {
    expect(problemOf(refusalOf(body), contract, '')).toEqual({
      code: 'invalid_json',
      status: 400,
      message: expect.any(String),
      documentation: '/docs/errors.html#invalid_json',
    });
  });

  test.each([
    ['an invalid first byte', [0x22, 0xff, 0x22]],
    ['a truncated character', [0x22, 0xe2, 0x82, 0x22]],
    ['an overlong encoding', [0x22, 0xc0, 0x80, 0x22]],
    ['half a surrogate pair', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['beyond Unicode', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x37, 0x00]],
    ['Latin-1', [0x22, 0xe9, 0x22]],
  ])('not encoded as UTF-8: %s', (_, bytes) => {
    expect(refusalOf(Uint8Array.from(bytes))).toMatchObject({
      code: 'invalid_json',
      message: 'The body is not valid JSON in UTF-8: it is not encoded as UTF-8.',
    });
    expect(parseText('"é"')).toBe('é');
  });

  test('the message says where, and shows no control characters', () => {
    expect(refusalOf('{"a":\u0007}').message).toBe(
      "The body is not valid JSON in UTF-8: Object value expected after ':' at position 5.",
    );
    expect(refusalOf('1\u0007').message).toContain("but got '�' at position 1");
  });
});

describe('a deeply nested body', () => {
  test.each([1_000, 2_500, 3_000, 4_000, 6_000, 8_000, 12_000, 20_000, 32_000])(
    'is read or refused, and never causes a 500 (%i levels)',
    (depth) => {
      const bodies = [
        nested('[', ']', depth),
        nested('{"a":', '}', depth, '1'),
        nested('[{"a":', '}]', depth / 2, '1e999'),
      ];
      for (const body of bodies) {
        try {
          parseText(body);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }
    },
  );

  test('nested more deeply than the parser supports is refused with the reason', () => {
    expect(refusalOf(nested('[', ']', 32_000)).message).toContain('nested too deeply');
  });
});

describe('a number that would be rounded is refused, never stored as another', () => {
  test.each([
    ['as the whole body', '1e999', ['body']],
    ['in a list', '[0,1e999]', ['body/1']],
    ['further down', '{"a":[{"b":1e999}]}', ['body/a/0/b']],
    ['under __proto__', '{"__proto__":{"a":1e999}}', ['body/__proto__/a']],
    ['under an empty key', '{"":1e999}', ['body/']],
    ['several, in order', '{"b":1e999,"a":[1e-400,5,{"c":1e999}],"d":1}', ['body/b', 'body/a/0', 'body/a/2/c']],
  ])('is named by its place: %s', (_, body, places) => {
    expect(placesIn(body)).toEqual(places);
  });
});
