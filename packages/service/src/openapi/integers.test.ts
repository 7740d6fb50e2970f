import { describe, expect, test } from '@jest/globals';
import { exactNumber } from './parse-json.ts';
import { isExactInteger } from './validation-problems.ts';

describe('a path or query value is an exact integer', () => {
  test.each(['0', '1', '-1', '10', '100', '9007199254740991', '-9007199254740991'])('%s: yes', (text) => {
    expect(isExactInteger(text)).toBe(true);
  });

  test.each([
    ['one more than is exact', '9007199254740992'],
    ['one that would be rounded', '9007199254740993'],
    ['one less than is exact', '-9007199254740992'],
    ['far too large', '9'.repeat(400)],
    ['empty', ''],
    ['minus alone', '-'],
    ['minus zero', '-0'],
    ['plus', '+5'],
    ['leading zero', '01'],
    ['leading space', ' 5'],
    ['trailing newline', '5\n'],
    ['fraction', '1.0'],
    ['exponent', '1e2'],
    ['hexadecimal', '0x10'],
    ['separator', '1_000'],
    ['name', 'Infinity'],
    ['no number', 'NaN'],
    ['other digits', '٣'],
    ['two values', '1,2'],
    ['NUL', '1\0'],
  ])('%s: no (%j)', (_, text) => {
    expect(isExactInteger(text)).toBe(false);
  });
});

describe('a JSON number is read as', () => {
  test.each([
    ['0', 0],
    ['7', 7],
    ['1.0', 1],
    ['1e2', 100],
    ['1.5e1', 15],
    ['10e-1', 1],
    ['0.5e1', 5],
    ['12.30e1', 123],
    ['0e99999', 0],
    ['0.0e-5', 0],
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['9007199254740991.000e0', 9_007_199_254_740_991],
    ['90071992547409910e-1', 9_007_199_254_740_991],
    ['9.007199254740991e15', 9_007_199_254_740_991],
    [`1${'0'.repeat(400)}e-400`, 1],
    [`0.${'0'.repeat(399)}1e400`, 1],
  ])('an integer: %s', (literal, value) => {
    expect(exactNumber(literal)).toBe(value);
  });

  test.each(['-0', '-0.0', '-0e5', '-0.0e-5'])('zero without a sign: %s', (literal) => {
    expect(exactNumber(literal)).toBe(0);
  });

  test.each([
    ['0.5', 0.5],
    ['-1.5', -1.5],
    ['1e-7', 1e-7],
    ['5e-324', 5e-324],
    ['4503599627370495.5', 4_503_599_627_370_495.5],
  ])('a fraction, which the contract refuses: %s', (literal, value) => {
    expect(exactNumber(literal)).toBe(value);
  });

  test.each([
    ['2^53', '9007199254740992'],
    ['2^53+1, which would be rounded down', '9007199254740993'],
    ['a fraction that would be rounded away', '9007199254740991.4'],
    ['a fraction that would be rounded up', '9007199254740990.6'],
    ['a fraction far after the decimal point', `1.${'0'.repeat(30)}1`],
    ['the same with an exponent', '10000000000000000000000001e-25'],
    ['almost one', '0.99999999999999999999'],
    ['too small for a number', '1e-400'],
    ['too small, written out', `0.${'0'.repeat(400)}1`],
    ['too small, with an endless exponent', '1e-99999999999999999999'],
    ['too large for a number', '1e999'],
    ['too large, with an endless exponent', '1e99999999999999999999'],
    ['int64, but not exact', '9223372036854775807'],
    ['an integer with more digits than a number keeps', '1e16'],
    ['an integer of the maximum length', '1.7976931348623157e308'],
  ])('no value that can be represented exactly: %s (%s)', (_, literal) => {
    expect(exactNumber(literal)).toBeUndefined();
  });

  // The maximum length of a body, for which a quadratic algorithm would take seconds.
  const zeros = '0'.repeat(65_000);
  test.each([
    ['a one far after the decimal point', `0.${zeros}1e65001`, 1],
    ['a one that is too small', `0.${zeros}1`, undefined],
    ['ones far apart', `1.${zeros}1`, undefined],
    ['a one with zeros that the exponent cancels', `1${zeros}e-65000`, 1],
    ['zeros only', `0.${zeros}`, 0],
    ['nines only', '9'.repeat(65_000), undefined],
  ])('the correct result for a literal of 65,000 digits: %s', (_, literal, value) => {
    expect(exactNumber(literal)).toBe(value);
  });
});
