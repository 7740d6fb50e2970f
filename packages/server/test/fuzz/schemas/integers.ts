import fc, { type Arbitrary } from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import type { Schema } from './schema.ts';

/** Larger than every integer format allows; numbers beyond it are refused for their size anyway. */
const FAR = 2n ** 70n;

/** The greatest integer that a JSON number represents exactly; the contract promises that all beyond it are refused. */
const EXACT = 2n ** 53n - 1n;

/** The least and the greatest integer that a schema allows, both inclusive, and the keyword for each. */
export function boundsOf(schema: Schema) {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const lower = [
    { word: 'format', at: -EXACT },
    { word: 'minimum', at: whole(minimum) },
    { word: 'exclusiveMinimum', at: exclusiveMinimum === undefined ? undefined : BigInt(exclusiveMinimum) + 1n },
  ];
  const upper = [
    { word: 'format', at: EXACT },
    { word: 'maximum', at: whole(maximum) },
    { word: 'exclusiveMaximum', at: exclusiveMaximum === undefined ? undefined : BigInt(exclusiveMaximum) - 1n },
  ];
  return { lower: tightest(lower, (one, other) => one >= other), upper: tightest(upper, (one, other) => one <= other) };
}

function whole(bound: number | undefined): bigint | undefined {
  return bound === undefined ? undefined : BigInt(bound);
}

type Bound = { word: string; at: bigint };

function tightest(
  bounds: { word: string; at: bigint | undefined }[],
  isTighter: (one: bigint, other: bigint) => boolean,
) {
  return bounds
    .flatMap(({ word, at }): Bound[] => (at === undefined ? [] : [{ word, at }]))
    .reduce((found, bound) => (isTighter(bound.at, found.at) ? bound : found));
}

/** Every integer that a schema allows. Its bounds, and small integers, which are existing IDs, are more frequent. */
export function integersOf(schema: Schema): Arbitrary<bigint> {
  const { lower, upper } = boundsOf(schema);
  const isAllowed = (value: bigint) => value >= lower.at && value <= upper.at;
  const edges = [lower.at, lower.at + 1n, upper.at - 1n, upper.at, 0n].filter(isAllowed);
  const small = { min: lower.at > 1n ? lower.at : 1n, max: upper.at < 12n ? upper.at : 12n };
  return fc.oneof(
    ...(small.min > small.max ? [] : [{ weight: 2, arbitrary: fc.bigInt(small) }]),
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
    { weight: 1, arbitrary: fc.bigInt({ min: lower.at, max: upper.at }) },
  );
}

/** Integers just outside a bound and far beyond it. */
export function integersBeyond(schema: Schema): { word: string; values: Arbitrary<bigint> }[] {
  const { lower, upper } = boundsOf(schema);
  return [
    { word: lower.word, values: fc.oneof(fc.constant(lower.at - 1n), fc.bigInt({ min: -FAR, max: lower.at - 1n })) },
    { word: upper.word, values: fc.oneof(fc.constant(upper.at + 1n), fc.bigInt({ min: upper.at + 1n, max: FAR })) },
  ];
}

/** The spellings of an integer in JSON: 10, 10.0, 100e-1, 1E1. */
export function spellingsOf(value: bigint): Arbitrary<LosslessNumber> {
  const digits = String(value);
  const shortened = digits.replace(/0+$/, (zeros) => `E${zeros.length}`);
  const spellings = value === 0n ? ['0', '0.0', '-0', '0e5'] : [digits, `${digits}.0`, `${digits}0e-1`, shortened];
  return fc.constantFrom(...spellings).map((spelling) => new LosslessNumber(spelling));
}
