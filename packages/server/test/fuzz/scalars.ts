import fc, { type Arbitrary } from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import type { Schema } from './schema.ts';

/** The characters that are possible in one place of a request. */
export type Alphabet = {
  /** One character of it. */
  character: Arbitrary<string>;
  /** Whether the text can be sent unchanged. */
  carries: (text: string) => boolean;
};

const ascii = fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code));
const anyCharacter = fc.oneof(ascii, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));

/** Bodies, paths and queries: everything that UTF-8 can encode. */
export const textAlphabet: Alphabet = {
  character: anyCharacter,
  carries: (text) => text.isWellFormed(),
};

/** RFC 9110 5.5: bytes above 0x7e are allowed, whitespace at the ends is not part of the value. */
export const headerAlphabet: Alphabet = {
  character: fc
    .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(0x09))
    .map((code) => String.fromCharCode(code)),
  carries: (text) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text) && !/^[\t ]|[\t ]$/.test(text),
};

/** The texts that a schema without `enum` allows. The shortest and the longest are more frequent. */
export function stringsOf(schema: Schema, alphabet: Alphabet): Arbitrary<string> {
  const { least, most } = lengthsOf(schema);
  // A format has its own lengths.
  const lengths = schema.format === undefined ? [...new Set([least, most])] : [];
  // Only patterns of one character class can be extended to a given length; for others, no text of that length may be
  // found.
  const edges = lengths.flatMap((length) => ofLength(schema, alphabet, length) ?? []);
  const values = basesOf(schema, alphabet);
  const isAllowed = allowedBy(schema, alphabet);
  // A filter that rejects everything would search forever.
  if (!fc.sample(values, { numRuns: 500, seed: 1 }).some(isAllowed)) {
    throw new Error(`The fuzzer finds no text that matches ${JSON.stringify(schema)}.`);
  }
  return fc.oneof(values.filter(isAllowed), ...edges);
}

/** Texts whose only problem is their length. */
export function stringsOfWrongLength(schema: Schema, alphabet: Alphabet) {
  const { minLength = 0, maxLength } = schema;
  const tooShort = minLength === 0 ? [] : [{ word: 'minLength', lengths: [0, minLength - 1] }];
  const tooLong = maxLength === undefined ? [] : [{ word: 'maxLength', lengths: [maxLength + 1, maxLength * 3] }];
  return [...tooShort, ...tooLong].map(({ word, lengths }) => ({
    word,
    values: fc.oneof(
      ...[...new Set(lengths)].map((length) => ofLength(schema, alphabet, length) ?? anyOfLength(alphabet, length)),
    ),
  }));
}

/** Texts of an allowed length that do not match the pattern: mostly allowed ones with one wrong character in them. */
export function stringsOffPattern(schema: Schema, alphabet: Alphabet): Arbitrary<string> {
  const matches = matcherOf(schema);
  const { least, most } = lengthsOf(schema);
  const spoilt = fc
    .tuple(stringsOf(schema, alphabet), alphabet.character, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([text, character, at]) => {
      const characters = [...text];
      characters.splice(Math.floor(at * characters.length), characters.length < most ? 0 : 1, character);
      return characters.join('');
    });
  return spoilt.filter((text) => {
    const length = [...text].length;
    return length >= least && length <= most && !matches(text) && alphabet.carries(text);
  });
}

/** JSON Schema counts characters, not UTF-16 units. Without `maxLength` nothing longer than 40 is tried. */
function lengthsOf({ minLength = 0, maxLength = Math.max(minLength, 40) }: Schema): { least: number; most: number } {
  return { least: minLength, most: maxLength };
}

/** RFC 3339 allows no other ones. */
const dates = fc
  .date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());

const dateTimes = fc.oneof(
  dates,
  dates.map((text) => text.replace(/\..*$/, '+01:00')),
);

/** The validator checks the format with a simple expression, which accepts the month 19. */
const nearDateTimes = [
  '2026-11-22',
  '2026-11-22T12:00:00',
  '2026-20-22T12:00:00Z',
  '26-11-22T12:00:00Z',
  '2026-11-22 12:00',
  'now',
];

/** Texts that are not of the format date-time, the only one of texts in requests. */
export function stringsOffFormat({ character, carries }: Alphabet): Arbitrary<string> {
  const any = fc.array(character, { minLength: 1, maxLength: 20 }).map((characters) => `no ${characters.join('')}`);
  return fc.oneof(fc.constantFrom(...nearDateTimes), any).filter(carries);
}

/** Texts that match the pattern, of any length. */
function basesOf(schema: Schema, alphabet: Alphabet): Arbitrary<string> {
  const any = fc.array(alphabet.character, { maxLength: 40 }).map((characters) => characters.join(''));
  const { pattern, format } = schema;
  if (format !== undefined) return dateTimes;
  if (pattern === undefined) return any;
  const matching = fc.stringMatching(new RegExp(pattern, 'u'));
  // stringMatching generates only ASCII unless a pattern names other characters; most patterns are one character class.
  const { character } = alphabet;
  const matches = matcherOf(schema);
  if (!fc.sample(character, { numRuns: 100, seed: 1 }).some(matches)) return matching;
  const characters = fc.array(character.filter(matches), { maxLength: 40 }).map((found) => found.join(''));
  return fc.oneof(matching, characters.filter(matches));
}

/** Texts of exactly one length: matching ones, repeated and truncated. Undefined if none of them match. */
function ofLength(schema: Schema, alphabet: Alphabet, length: number): Arbitrary<string> | undefined {
  if (length === 0) return fc.constant('');
  const isAllowed = allowedBy({ ...schema, minLength: length, maxLength: length }, alphabet);
  const resized = basesOf(schema, alphabet).map((text) => resize(text, length));
  // A filter that rejects everything would search forever.
  return fc.sample(resized, { numRuns: 200, seed: 1 }).some(isAllowed) ? resized.filter(isAllowed) : undefined;
}

/** Texts of a length, which may have other problems. */
function anyOfLength({ character, carries }: Alphabet, length: number): Arbitrary<string> {
  return fc
    .array(character, { minLength: 1, maxLength: 10 })
    .map((characters) => resize(characters.join(''), length))
    .filter(carries);
}

function resize(text: string, length: number): string {
  const characters = text === '' ? ['a'] : [...text];
  return Array.from({ length }, (_, index) => characters[index % characters.length]).join('');
}

function allowedBy(schema: Schema, alphabet: Alphabet): (text: string) => boolean {
  const matches = matcherOf(schema);
  const { least, most } = lengthsOf(schema);
  return (text) => {
    const length = [...text].length;
    return length >= least && length <= most && matches(text) && alphabet.carries(text);
  };
}

function matcherOf({ pattern }: Schema): (text: string) => boolean {
  if (pattern === undefined) return () => true;
  const expression = new RegExp(pattern, 'u');
  return (text) => expression.test(text);
}

/** Larger than every integer format allows; numbers beyond it are refused for their size anyway. */
const FAR = 2n ** 70n;

/** The greatest integer that a JSON number represents exactly; the contract promises that all beyond it are refused. */
const EXACT = 2n ** 53n - 1n;

/** The least and the greatest integer that a schema allows, both inclusive, and the keyword for each. */
function boundsOf(schema: Schema) {
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
