import fc, { type Arbitrary } from 'fast-check';
import type { Schema } from './schema.ts';

/** Numbers with a fraction are not exact beyond this, and integers beyond it are refused. */
const FAR = 2 ** 40;

/** The numbers that a schema of the type "number" allows, in JSON spelling. Its bounds are more frequent. */
export function numbersOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): Arbitrary<string> {
  const edges = [minimum, maximum].flatMap((bound) => bound ?? []);
  const inside = fc.double({
    min: exclusiveMinimum ?? minimum ?? -FAR,
    max: exclusiveMaximum ?? maximum ?? FAR,
    minExcluded: exclusiveMinimum !== undefined,
    maxExcluded: exclusiveMaximum !== undefined,
    noNaN: true,
  });
  return fc.oneof(inside, ...edges.map((edge) => fc.constant(edge))).map(String);
}

/** Numbers that violate one bound. */
export function numbersBeyond(schema: Schema): { word: string; values: Arbitrary<string> }[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const bounds = Object.entries({ minimum, maximum, exclusiveMinimum, exclusiveMaximum });
  return bounds.flatMap(([word, bound]) => {
    if (bound === undefined) return [];
    const away = /maximum/i.test(word) ? 1 : -1;
    const beyond = fc.double({ min: 0.5, max: FAR, noNaN: true }).map((distance) => bound + away * distance);
    return [
      { word, values: (word.startsWith('exclusive') ? fc.oneof(fc.constant(bound), beyond) : beyond).map(String) },
    ];
  });
}
