/** Makes values of a schema for tests and stories: the same ones for the same seed, and each different from the one before. */
import { problemsOf } from '../problems.ts';

/** A factory of values. `list` makes several. */
export type Factory<Value> = {
  /**
   * A valid value. Properties that you pass replace those that it would have.
   *
   * @throws TypeError if the value is not valid because of them, or has no such property
   */
  (properties?: Partial<Value>): Value;
  list(count: number, properties?: Partial<Value>): Value[];
  /** Starts again: the next values are those of this seed. By default, a factory starts with the seed 1. */
  seed(seed: number): void;
};

type Schema = Readonly<Record<string, unknown>>;
type Context = {
  readonly definitions: Readonly<Record<string, object>>;
  readonly seed: number;
  readonly random: () => number;
  /** How many values were made, with this one. */
  count: number;
};

/**
 * A factory of the values of a schema.
 *
 * @param schema a JSON Schema (2020-12) with the examples of the contract
 * @param definitions the schemas that it refers to, as `#/$defs/NAME`
 */
export function createFactory<Value extends object>(
  schema: object,
  definitions: Readonly<Record<string, object>> = {},
): Factory<Value> {
  let context = contextOf(1, definitions);
  function make(properties: Partial<Value> = {}): Value {
    refuseUnknown(properties, context, { ...schema });
    context.count += 1;
    const value = { ...Object(anyValue(context, { ...schema }, '', 0)), ...properties };
    const [problem] = problemsOf(JSON.parse(JSON.stringify(value)), schema, definitions, '');
    if (problem) throw new TypeError(`${problem.where.slice(1)} ${problem.what}: pass another value.`);
    return value;
  }
  return Object.assign(make, {
    list: (count: number, properties?: Partial<Value>) => Array.from({ length: count }, () => make(properties)),
    seed(seed: number) {
      context = contextOf(seed, definitions);
    },
  });
}

function contextOf(seed: number, definitions: Context['definitions']): Context {
  let state = seed;
  // A linear congruential generator (Numerical Recipes): small, and the same everywhere.
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return { definitions, seed, random, count: 0 };
}

/** @throws TypeError that lists the properties if the schema describes them and one of these is not among them */
function refuseUnknown(properties: object, context: Context, schema: Schema): void {
  const parts = [...partsOf(context, schema)];
  const isOpen = (part: Schema) =>
    openKeywords.some((keyword) => part[keyword] !== undefined && part[keyword] !== false);
  const known = parts.flatMap((part) => Object.keys(Object(part['properties'])));
  const unknown = Object.keys(properties).find((name) => !known.includes(name));
  if (unknown === undefined || known.length === 0 || parts.some(isOpen)) return;
  const names = [...new Set(known)].sort().join(', ');
  throw new TypeError(`${unknown} is not a property of this value. It may have ${names}.`);
}

/** A value may have properties that only these keywords describe. */
const openKeywords = ['patternProperties', 'additionalProperties', 'unevaluatedProperties'];

/** A schema, and everything that describes the same value: what it refers to, its parts and alternatives. */
function* partsOf(context: Context, schema: Schema, seen = new Set<unknown>()): Generator<Schema> {
  if (seen.has(schema['$ref'] ?? schema)) return;
  seen.add(schema['$ref'] ?? schema);
  yield schema;
  const { $ref, allOf, oneOf, anyOf, if: condition, then: matched, else: other, dependentSchemas } = schema;
  const listed = [allOf, oneOf, anyOf, condition, matched, other].flat().filter((part) => part !== undefined);
  const others = [...listed, ...Object.values(Object(dependentSchemas))];
  if ($ref !== undefined) others.push(targetOf(context, schema));
  for (const part of others) yield* partsOf(context, Object(part), seen);
}

/** Optional properties and lists end at this depth, and alternatives are those that contain no others. */
const DEEPEST = 4;

function anyValue(context: Context, given: Schema, name: string, depth: number): unknown {
  const schema = wholeOf(context, given, depth);
  const { const: constant, enum: values, default: fallback } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return pick(context, values);
  const types = [schema['type']].flat();
  // A schema that requires itself without an end has no value.
  if ((depth >= DEEPEST && types.includes('null')) || depth > 4 * DEEPEST) return null;
  switch (types.find((type) => type !== 'null') ?? (schema['properties'] ? 'object' : undefined)) {
    case 'object':
      return objectOf(context, schema, depth);
    case 'array':
      return arrayOf(context, schema, name, depth);
    case 'integer':
    case 'number':
      return numberOf(context, schema, name);
    case 'boolean':
      return context.random() < 0.5;
    case 'string':
      return textOf(context, schema, name);
    default:
      return exampleOf(schema) ?? fallback ?? null;
  }
}

function exampleOf({ example, examples }: Schema): unknown {
  return example ?? (Array.isArray(examples) ? examples[0] : undefined);
}

/** A schema together with what it refers to, its parts and one of its alternatives. @param followed the references that lead to it */
function wholeOf(context: Context, schema: Schema, depth: number, followed: readonly unknown[] = []): Schema {
  const { $ref, allOf = [], oneOf, anyOf, ...own } = schema;
  const isNew = typeof $ref === 'string' && !followed.includes($ref);
  const parts = [
    isNew ? targetOf(context, schema) : [],
    allOf,
    chosen(context, oneOf, depth),
    chosen(context, anyOf, depth),
  ];
  const whole = [own, ...parts.flat().map((part) => wholeOf(context, Object(part), depth, [...followed, $ref]))];
  const properties = Object.assign({}, ...whole.map((part) => part['properties']).reverse());
  const required = whole.flatMap((part) => part['required'] ?? []);
  // The own keywords of the schema come last, so that they count.
  return Object.assign({}, ...whole.reverse(), Object.keys(properties).length > 0 ? { properties } : {}, { required });
}

function targetOf({ definitions }: Context, { $ref }: Schema): Schema {
  return Object(definitions[String($ref).replace('#/$defs/', '')]);
}

/** One of the alternatives: the first that is not null. In the depth, null, or one that refers to no others. */
function chosen(context: Context, alternatives: unknown, depth: number): Schema[] {
  const all: Schema[] = Array.isArray(alternatives) ? alternatives : [];
  const isNull = ({ type }: Schema) => type === 'null';
  const isLast = (one: Schema) =>
    !JSON.stringify({ ...one, ...targetOf(context, one), $ref: '' }).includes('"#/$defs/');
  const last = depth < DEEPEST ? undefined : (all.find(isNull) ?? all.find(isLast));
  const one = last ?? all.find((each) => !isNull(each)) ?? all[0];
  return one === undefined ? [] : [one];
}

/** Any of the values but null, if there is another one. */
function pick({ random }: Context, values: readonly unknown[]): unknown {
  const some = values.filter((value) => value !== null);
  return some.length === 0 ? null : some[Math.floor(random() * some.length)];
}

function objectOf(context: Context, schema: Schema, depth: number): object {
  const { minProperties = 0, additionalProperties = {} } = schema;
  const required = [schema['required']].flat();
  const properties = Object.entries(Object(schema['properties'])).filter(
    ([name, part]) => Object(part).writeOnly !== true && (depth < DEEPEST || required.includes(name)),
  );
  for (let count = 1; properties.length < Number(minProperties); count += 1) {
    properties.push([`property${count}`, additionalProperties]);
  }
  return Object.fromEntries(properties.map(([name, part]) => [name, anyValue(context, Object(part), name, depth + 1)]));
}

/** How many values are tried for an item of a list without equal ones. */
const MOST_TRIES = 50;

function arrayOf(context: Context, schema: Schema, name: string, depth: number): unknown[] {
  const { items, prefixItems, contains, minContains = 1, uniqueItems, maxItems = Infinity } = schema;
  const first = [prefixItems ?? [], contains === undefined ? [] : Array(Number(minContains)).fill(contains)].flat();
  const least = Number(schema['minItems'] ?? (depth < DEEPEST && items !== undefined && items !== false ? 1 : 0));
  const length = Math.min(Number(maxItems), Math.max(first.length, least));
  const values: unknown[] = [];
  for (let tries = 0; values.length < length && tries < length + MOST_TRIES; tries += 1) {
    // Another count, so that the items of a list have identifiers of their own.
    const own = { ...context, count: context.count + tries };
    const value = anyValue(own, Object(first[values.length] ?? items), name, depth + 1);
    const isTwice = values.some((one) => JSON.stringify(one) === JSON.stringify(value));
    if (uniqueItems !== true || !isTwice) values.push(value);
  }
  return values;
}

/** Identifiers and examples count up, so that the numbers of a value fit each other. Any other number is a small one. */
function numberOf(context: Context, schema: Schema, name: string): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = schema;
  const most = Math.min(Number(maximum ?? Infinity), Number(exclusiveMaximum ?? Infinity), Number.MAX_SAFE_INTEGER);
  const lowest = Math.max(Number(minimum ?? -Infinity), Number(exclusiveMinimum ?? -Infinity));
  const least = lowest === -Infinity ? Math.min(0, most - 1) : lowest;
  /** The first and the last multiple of a number that are allowed. */
  const range = (step: number) => {
    const [first, last] = [Math.ceil(least / step), Math.floor(most / step)];
    const isBelow = exclusiveMinimum !== undefined && first * step <= Number(exclusiveMinimum);
    const isAbove = exclusiveMaximum !== undefined && last * step >= Number(exclusiveMaximum);
    return { step, first: first + (isBelow ? 1 : 0), last: last - (isAbove ? 1 : 0) };
  };
  const integers = range(Number(multipleOf ?? 1));
  const isEmpty = integers.first > integers.last && multipleOf === undefined;
  const { step, first, last } = isEmpty ? range((most - least) / 4) : integers;
  if (/^(id|.*I[dD]|.*_id)$/.test(name) && type !== 'number') {
    return Math.min(last, Math.max(1, first) + serialOf(context) - 1) * step;
  }
  const example = Math.round(Number(exampleOf(schema)) / step);
  const isAllowed = example >= first && example <= last;
  const few = Math.min(last - first, Math.max(0, Math.floor((least * 2 + 1) / step) - first));
  const offset = isAllowed
    ? (example - first + turnOf(context)) % (last - first + 1)
    : Math.floor(context.random() * (few + 1));
  const value = (first + offset) * step;
  // 3 * 0.1 is not exact.
  return Number.isInteger(step) ? value : Number(value.toPrecision(12));
}

const names = [
  'Ada',
  'Ben',
  'Cleo',
  'Dora',
  'Emil',
  'Finn',
  'Greta',
  'Hugo',
  'Ida',
  'Juno',
  'Karl',
  'Lena',
  'Mia',
  'Nils',
  'Olga',
  'Paul',
];

/** A text that looks like what the name, the format and the example ask for, or the example itself. */
function textOf(context: Context, schema: Schema, name: string): string {
  const { format, pattern, minLength = 0, maxLength = Infinity } = schema;
  const example = exampleOf(schema);
  const count = serialOf(context);
  const made = formats[String(format)]?.(count, example) ?? (/name$/i.test(name) ? named(context) : undefined);
  const numbered =
    typeof example === 'string' ? example.replace(/\d{1,9}(?!.*\d)/s, (digits) => shifted(digits, count)) : undefined;
  const fits = (text: unknown): text is string =>
    typeof text === 'string' &&
    [...text].length >= Number(minLength) &&
    [...text].length <= Number(maxLength) &&
    (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text));
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${count}`;
  const others = [
    title,
    `${count}`,
    `${count}`.slice(-Number(maxLength)),
    title.padEnd(Number(minLength), ' and so on'),
  ];
  return [made, numbered, example, ...others].find(fits) ?? String(example ?? title);
}

function named(context: Context): string {
  const round = Math.ceil(context.count / names.length);
  const name = `${names[turnOf(context) % names.length]}`;
  return round === 1 ? name : `${name} ${round}`;
}

/** How many values come before this one: none before the first one of the first seed, one before that of the second seed. */
function turnOf({ seed, count }: Context): number {
  return Math.max(1, seed) + count - 2;
}

/** A number that no other value of any seed has, as long as each seed makes at most a thousand. */
function serialOf({ seed, count }: Context): number {
  return (Math.max(1, seed) - 1) * 1_000 + count;
}

/** The same number of digits. */
function shifted(digits: string, count: number): string {
  return String((Number(digits) + count - 1) % 10 ** digits.length).padStart(digits.length, '0');
}

/** The time of an example, or noon, and a minute later for each count. */
function timeOf(count: number, example: unknown): string {
  const start = Date.parse(String(example));
  const first = Number.isNaN(start) ? Date.UTC(2026, 0, 1, 12) : start;
  return new Date(first + (count - 1) * 60_000).toISOString();
}

const formats: Record<string, (count: number, example: unknown) => string> = {
  'date-time': timeOf,
  date: (count, example) => timeOf(count, example).slice(0, 10),
  time: (count) => timeOf(count, undefined).slice(11),
  duration: (count) => `P${count}D`,
  uuid: (count) => `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`,
  email: (count) => `${names[count % names.length]?.toLowerCase()}${count}@example.com`,
  hostname: (count) => `host${count}.example.com`,
  ipv4: (count) => `192.0.2.${count % 256}`,
  ipv6: (count) => `2001:db8::${(count % 65_536).toString(16)}`,
  uri: (count) => `https://example.com/${count}`,
  url: (count) => `https://example.com/${count}`,
  'uri-reference': (count) => `/${count}`,
  'json-pointer': (count) => `/${count}`,
  byte: (count) => btoa(`${count}`),
};
