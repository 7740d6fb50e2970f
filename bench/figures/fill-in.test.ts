import { expect, test } from '@jest/globals';
import { fillIn } from './fill-in.ts';

const text = 'Before\n<!-- made: weather -->\nold\n<!-- /made -->\nafter\n';

test('a part is made anew, and what stands around it stays', () => {
  const filled = fillIn(text, { weather: () => '| rain |' });
  expect(filled).toBe('Before\n<!-- made: weather -->\n| rain |\n<!-- /made -->\nafter\n');
  expect(fillIn(filled, { weather: () => '| rain |' })).toBe(filled);
});

test('a place for a part that is not made is refused, and so is a part without a place', () => {
  expect(() => fillIn(text, { tides: () => '' })).toThrow('There is no part weather; there are tides.');
  expect(() => fillIn(text, { weather: () => '', tides: () => '' })).toThrow('The document has no place for tides.');
});
