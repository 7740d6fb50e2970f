import fc, { type Arbitrary } from 'fast-check';
import type { Schema } from './schema.ts';

/** Numbers with a fraction are not exact beyond this, and integers beyond it are refused. */
const FAR = 2 ** 40;

/** The numbers that a schema of the type "number" allows, in JSON spelling. Its bounds are more frequent. */
export function numbersOf(schema: Schema): Arbitrary<string> {
  if (schema.multipleOf !== undefined) return multiplesOf(schema);
  const { least, most, text } = gridOf(schema, 2);
  const edges = [least, least + 1n, most - 1n, most, 0n].filter((units) => units >= least && units <= most);
  const doubles = fc
    .double({
      min: schema.exclusiveMinimum ?? schema.minimum ?? -FAR,
      max: schema.exclusiveMaximum ?? schema.maximum ?? FAR,
      noNaN: true,
    })
    .filter((value) => isInside(schema, value) && isOfFormat(schema, value));
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...edges).map(text) },
    { weight: 1, arbitrary: fc.bigInt({ min: least, max: most }).map(text) },
    { weight: 2, arbitrary: doubles.map(String) },
  );
}

function multiplesOf(schema: Schema): Arbitrary<string> {
  const { least, most, step, text } = gridOf(schema);
  const [min, max] = [-floorOf(-least, step), floorOf(most, step)];
  const edges = [min, max, 0n].filter((count) => count >= min && count <= max);
  return fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min, max })).map((count) => text(count * step));
}

/** Numbers that violate one keyword, including those next to the allowed ones. */
export function numbersBeyond(schema: Schema): { word: string; values: Arbitrary<string> }[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const { least, most, step, scale, text } = gridOf(schema);
  const away = 10n ** BigInt(scale) * BigInt(FAR);
  const outside = (near: bigint, min: bigint, max: bigint) =>
    fc.oneof(fc.constant(near), fc.bigInt({ min, max })).map(text);
  const below = { values: outside(least - 1n, least - 1n - away, least - 1n) };
  const above = { values: outside(most + 1n, most + 1n, most + 1n + away) };
  const fine = gridOf(schema, 1);
  const off = fc
    .tuple(fc.bigInt({ min: fine.least, max: fine.most }), fc.boolean())
    .map(([units, isNear]) => (isNear ? floorOf(units, fine.step) * fine.step + 1n : units))
    .filter((units) => units % fine.step !== 0n && units >= fine.least && units <= fine.most);
  return [
    ...(exclusiveMinimum === undefined ? [] : [{ word: 'exclusiveMinimum', ...below }]),
    ...(exclusiveMinimum !== undefined || minimum === undefined ? [] : [{ word: 'minimum', ...below }]),
    ...(exclusiveMaximum === undefined ? [] : [{ word: 'exclusiveMaximum', ...above }]),
    ...(exclusiveMaximum !== undefined || maximum === undefined ? [] : [{ word: 'maximum', ...above }]),
    ...(multipleOf === undefined || step === 0n ? [] : [{ word: 'multipleOf', values: off.map(fine.text) }]),
  ];
}

/**
 * The bounds in whole units of the last decimal place that the schema uses, both inclusive: A binary float cannot
 * represent 0.1 exactly, and multiples of it must be exact.
 *
 * @param finer how many decimal places more
 */
function gridOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema, finer = 0) {
  const given = [minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf].flatMap((value) => value ?? []);
  const scale = Math.max(0, ...given.map(decimalsOf)) + finer;
  const units = (value: number) => BigInt(Math.round(value * 10 ** scale));
  const lower = [
    ...(minimum === undefined ? [] : [units(minimum)]),
    ...(exclusiveMinimum === undefined ? [] : [units(exclusiveMinimum) + 1n]),
  ];
  const upper = [
    ...(maximum === undefined ? [] : [units(maximum)]),
    ...(exclusiveMaximum === undefined ? [] : [units(exclusiveMaximum) - 1n]),
  ];
  return {
    scale,
    least: lower.length === 0 ? -units(FAR) : lower.reduce(greater),
    most: upper.length === 0 ? units(FAR) : upper.reduce(smaller),
    step: multipleOf === undefined ? 0n : units(multipleOf),
    text: (value: bigint) => decimal(value, scale),
  };
}

/** `Math.max` does not support bigint. */
function greater(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

function smaller(one: bigint, other: bigint): bigint {
  return greater(one, other) === one ? other : one;
}

function decimalsOf(value: number): number {
  const [, fraction = '', exponent = '0'] = /^-?[0-9]+(?:\.([0-9]+))?(?:e([+-][0-9]+))?$/.exec(String(value)) ?? [];
  return Math.max(0, fraction.length - Number(exponent));
}

function decimal(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

function floorOf(value: bigint, step: bigint): bigint {
  const quotient = value / step;
  return value % step !== 0n && value < 0n ? quotient - 1n : quotient;
}

function isInside({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema, value: number): boolean {
  return (
    value >= (minimum ?? -FAR) &&
    value <= (maximum ?? FAR) &&
    value > (exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
    value < (exclusiveMaximum ?? Number.POSITIVE_INFINITY)
  );
}

/** A `float` closer to zero than this cannot be distinguished from zero. */
function isOfFormat({ format }: Schema, value: number): boolean {
  return format !== 'float' || value === 0 || Math.abs(value) >= 2 ** -126;
}
