import { describe, expect, test } from '@jest/globals';
import { AskedBefore } from './asked-before.ts';

describe('AskedBefore', () => {
  test('knows an address from the second time on', () => {
    const asked = new AskedBefore();
    expect(['/a', '/b', '/a', '/b', '/a'].map((address) => asked.note(address))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  test('takes hardly one of many addresses of a kind for another', () => {
    const asked = new AskedBefore();
    const taken = Array.from({ length: 100_000 }, (_, id) => asked.note(`/v1/pets/${id}`)).filter(Boolean);
    expect(taken.length).toBeLessThan(10);
  });

  test('still knows most of the thousand addresses that were asked for last', () => {
    const asked = new AskedBefore();
    for (let id = 0; id < 100_000; id += 1) asked.note(`/v1/pets/${id}`);
    const known = Array.from({ length: 1_000 }, (_, index) => asked.note(`/v1/pets/${99_000 + index}`)).filter(Boolean);
    expect(known.length).toBeGreaterThan(800);
  });

  test('knows no address that is too long to be kept: it may be as long as all headers, and nobody needs it', () => {
    const asked = new AskedBefore();
    const long = `/v1/pets?${'&'.repeat(10_000)}`;
    expect([asked.note(long), asked.note(long)]).toEqual([false, false]);
    const longest = '/'.padEnd(512, 'x');
    expect([asked.note(longest), asked.note(longest)]).toEqual([false, true]);
  });
});
