/** Makes values of a schema for tests and stories: the same ones for the same seed, and each different from the one before. */
import { problemsOf } from '../problems.ts';

/** A factory of values. `list` makes several. */
export type Factory<Value> = {
  /**
   * A valid value. Properties that you pass replace those that it would have.
   *
   * @throws TypeError if the value is not valid because of them
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

/** Schemas that contain themselves end at this depth. */
const DEEPEST = 6;

function anyValue(context: Context, schema: Schema, name: string, depth: number): unknown {
  const { $ref, const: constant, enum: values, allOf, oneOf, anyOf, example, default: fallback } = schema;
  if (typeof $ref === 'string') {
    const target: Schema = Object(context.definitions[$ref.replace('#/$defs/', '')]);
    return anyValue(context, { ...target, ...without$ref(schema) }, name, depth + 1);
  }
  if (constant !== undefined) return constant;
  if (Array.isArray(values)) return pick(context, values);
  if (Array.isArray(allOf)) {
    const parts = allOf.map((part) => anyValue(context, part, name, depth + 1));
    const own = schema['properties'] === undefined ? {} : objectOf(context, schema, depth);
    return parts.every((part) => typeof part === 'object') ? Object.assign({}, ...parts, own) : parts[0];
  }
  const choices = [oneOf, anyOf].flat().filter((choice) => choice !== undefined && Object(choice).type !== 'null');
  if (choices.length > 0) return anyValue(context, Object(choices[0]), name, depth + 1);
  switch ([schema['type']].flat().find((type) => type !== 'null') ?? (schema['properties'] ? 'object' : undefined)) {
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
      return example ?? fallback ?? null;
  }
}

function without$ref({ $ref: _, ...rest }: Schema): Schema {
  return rest;
}

/** Any of the values but null, if there is another one. */
function pick({ random }: Context, values: readonly unknown[]): unknown {
  const some = values.filter((value) => value !== null);
  return some.length === 0 ? null : some[Math.floor(random() * some.length)];
}

function objectOf(context: Context, schema: Schema, depth: number): object {
  const required = [schema['required']].flat();
  const properties = Object.entries(Object(schema['properties'])).filter(
    ([name, part]) => Object(part).writeOnly !== true && (depth < DEEPEST || required.includes(name)),
  );
  return Object.fromEntries(properties.map(([name, part]) => [name, anyValue(context, Object(part), name, depth + 1)]));
}

function arrayOf(context: Context, { items, minItems = 1 }: Schema, name: string, depth: number): unknown[] {
  if (depth >= DEEPEST || items === undefined) return [];
  return Array.from({ length: Number(minItems) }, () => anyValue(context, Object(items), name, depth + 1));
}

/** Identifiers count up; other numbers are near the example. */
function numberOf(context: Context, schema: Schema, name: string): number {
  const { minimum, maximum, example, multipleOf = 1, type } = schema;
  const least = Number(minimum ?? 0);
  const most = Number(maximum ?? Number.MAX_SAFE_INTEGER);
  if (/^(id|.*I[dD]|.*_id)$/.test(name) && type !== 'number')
    return Math.min(most, Math.max(1, least) + serialOf(context) - 1);
  const top = Math.min(most, Math.max(least, Number(example ?? least)) * 2 + 1);
  const step = Number(multipleOf);
  const value = Math.ceil((Math.max(least, 0) + context.random() * (top - Math.max(least, 0))) / step) * step;
  return Math.min(most, Math.max(least, value));
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
  const { format, example, pattern, minLength = 0, maxLength = Infinity } = schema;
  const count = serialOf(context);
  const made = formatted(context, String(format), example) ?? (/name$/i.test(name) ? named(context) : undefined);
  const numbered =
    typeof example === 'string' ? example.replace(/\d+(?!.*\d)/, (digits) => shifted(digits, count)) : undefined;
  const fits = (text: unknown): text is string =>
    typeof text === 'string' &&
    [...text].length >= Number(minLength) &&
    [...text].length <= Number(maxLength) &&
    (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text));
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${count}`;
  return [made, numbered, example, title, String(count)].find(fits) ?? String(example ?? title);
}

function named({ seed, count }: Context): string {
  const round = Math.ceil(count / names.length);
  const name = `${names[(seed + count - 2) % names.length]}`;
  return round === 1 ? name : `${name} ${round}`;
}

/** A number that no other value of any seed has, as long as each seed makes at most a thousand. */
function serialOf({ seed, count }: Context): number {
  return (seed - 1) * 1_000 + count;
}

/** The same number of digits. */
function shifted(digits: string, count: number): string {
  return String((Number(digits) + count - 1) % 10 ** digits.length).padStart(digits.length, '0');
}

function formatted(context: Context, format: string, example: unknown): string | undefined {
  const count = serialOf(context);
  const start = Date.parse(String(example));
  const time = new Date((Number.isNaN(start) ? Date.UTC(2026, 0, 1, 12) : start) + (count - 1) * 60_000);
  switch (format) {
    case 'date-time':
      return time.toISOString();
    case 'date':
      return time.toISOString().slice(0, 10);
    case 'uuid':
      return `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;
    case 'email':
      return `${names[count % names.length]?.toLowerCase()}${count}@example.com`;
    case 'uri':
    case 'url':
      return `https://example.com/${count}`;
    default:
      return undefined;
  }
}
