import { describe, expect, test } from '@jest/globals';
import { KeptResponses } from './kept-replies.ts';

const response = (json: string) => ({ status: 200, headers: {}, json });

describe('KeptResponses', () => {
  test('gives what was kept, by its address, as long as nothing else is stored', () => {
    const kept = new KeptResponses();
    const [one, other] = [response('[1]'), response('[2]')];
    kept.keep(1, '/a', one);
    kept.keep(1, '/b', other);
    expect([kept.find(1, '/a'), kept.find(1, '/b'), kept.find(1, '/c')]).toEqual([one, other, undefined]);
    expect(kept.find(1, '/a')).toBe(one);
  });

  test('gives nothing before something was kept', () => {
    expect(new KeptResponses().find(0, '/a')).toBeUndefined();
  });

  test('gives nothing that was made before the last write', () => {
    const kept = new KeptResponses();
    kept.keep(1, '/a', response('[1]'));
    expect(kept.find(2, '/a')).toBeUndefined();
    kept.keep(2, '/b', response('[2]'));
    expect([kept.find(2, '/a'), kept.find(1, '/a')]).toEqual([undefined, undefined]);
  });

  test('gives nothing for now that was made while something was written', () => {
    const kept = new KeptResponses();
    kept.keep(2, '/a', response('[2]'));
    // A slow one, begun before the write.
    kept.keep(1, '/b', response('[1]'));
    expect([kept.find(2, '/a'), kept.find(2, '/b')]).toEqual([undefined, undefined]);
  });

  test('keeps a later response at an address in place of an earlier one', () => {
    const kept = new KeptResponses();
    kept.keep(1, '/a', response('[1]'));
    kept.keep(1, '/a', response('[2]'));
    expect(kept.find(1, '/a')?.json).toBe('[2]');
  });

  test('never holds more than its capacity, addresses and what else belongs to a response counted', () => {
    const capacity = 100_000;
    const kept = new KeptResponses(capacity);
    const addresses = Array.from({ length: 5_000 }, (_, id) => `/${String(id).padStart(9, '0')}`);
    for (const [index, address] of addresses.entries()) {
      kept.keep(1, address, response('[]'));
      if (index % 100 !== 0) continue;
      const held = addresses.filter((known) => kept.find(1, known) !== undefined).length;
      // An empty page with its headers takes some 400 bytes, of which two are JSON.
      expect(held * 400).toBeLessThanOrEqual(capacity);
    }
    expect(kept.find(1, addresses.at(-1) ?? '')).toBeDefined();
  });

  test('does not keep what is larger than all of its capacity', () => {
    const kept = new KeptResponses(1_000);
    kept.keep(1, '/small', response('[]'));
    kept.keep(1, '/large', response('x'.repeat(2_000)));
    expect(kept.find(1, '/large')).toBeUndefined();
    expect(kept.find(1, '/small')).toBeDefined();
  });
});
