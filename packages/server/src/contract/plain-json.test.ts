import { describe, expect, test } from '@jest/globals';
import { parseBody } from '../middleware/read-body.ts';
import { parsePlain } from './plain-json.ts';

describe('a plain object is read at once', () => {
  test.each([
    '{}',
    '{ "name" : "Rex" ,\t"categoryId" : 3 }\n',
    '{"name":"é🦄","none":null,"no":false,"yes":true}',
    '{"name":"\\u0041\\n\\"","empty":""}',
    '{"n":999999999999999,"m":-999999999999999,"zero":0}',
    '{"__proto__":"x","constructor":1}',
    '{"2":1,"1":2,"a":3}',
  ])('as the careful reader reads it: %s', (text) => {
    const object = parsePlain(text);
    expect(Object.entries(object ?? {})).toEqual(Object.entries(Object(carefully(text))));
    expect(object).toEqual(JSON.parse(text));
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  });
});

describe('what JSON.parse might read otherwise is left to the careful reader', () => {
  test.each([
    ['a number with a fraction', '{"a":1.0}'],
    ['a number with an exponent', '{"a":1e2}'],
    ['a number with a large exponent', '{"a":1E999}'],
    ['a number with 16 digits', '{"a":9007199254740993}'],
    ['minus zero', '{"a":-0}'],
    ['a property twice', '{"a":1,"a":2}'],
    ['a property twice, once escaped', '{"a":1,"\\u0061":2}'],
    ['a property twice beside a colon', '{"a":":","b":1,"a":2}'],
    ['an object in it', '{"a":{"b":1,"b":2}}'],
    ['a list in it', '{"a":[1]}'],
    ['a list', '[1]'],
    ['a list of objects', '[{"a":1,"a":2}]'],
    ['a text', '"a"'],
    ['a number', '7'],
    ['null', 'null'],
    ['nothing', ''],
    ['no JSON', '{"a":1,}'],
    ['more behind it', '{"a":1}x'],
    ['a colon in a text', '{"a":":"}'],
  ])('%s', (_, text) => {
    expect(parsePlain(text)).toBeUndefined();
  });
});

/** What the careful reader reads, which lists are left to. */
function carefully(text: string): unknown {
  const [value] = Object(parseBody(new TextEncoder().encode(`[${text}]`)));
  return value;
}
