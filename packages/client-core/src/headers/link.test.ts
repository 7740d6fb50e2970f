import { expect, test } from '@jest/globals';
import { linkOf } from './link.ts';

test.each([
  ['one link', '<https://a.example/b?c=d>; rel="next"', 'https://a.example/b?c=d'],
  ['a later one', '<x>; rel="deprecation"; type="text/html", <y>; rel="next"', 'y'],
  ['without quotes', '<x>;rel=next', 'x'],
  ['in capitals', '<x>; REL="NEXT"', 'x'],
  ['one of several relations', '<x>; rel="prev next"', 'x'],
  ['the first of two', '<x>; rel=next, <y>; rel=next', 'x'],
  ['a comma and a semicolon in an address', '<x?a=1,2;3>; rel="next"', 'x?a=1,2;3'],
  ['a comma in a parameter', '<x>; title="a, b"; rel="next"', 'x'],
  ['other relations only', '<x>; rel="nextish", <y>; rel="prev"', undefined],
  ['a relation named elsewhere', '<x>; title="next"', undefined],
  ['no relation', '<x>', undefined],
  ['a text that is not a link', 'next', undefined],
  ['nothing', '', undefined],
])('the next page by %s', (_, value, address) => {
  expect(linkOf({ headers: new Headers({ Link: value }) }, 'next')).toBe(address);
});

test('a long header that is not a link is parsed quickly', () => {
  const start = performance.now();
  linkOf({ headers: new Headers({ Link: `<x>; "${'a, "'.repeat(10_000)}` }) }, 'next');
  expect(performance.now() - start).toBeLessThan(5_000);
});
