import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { stepsOf } from './pointer.ts';

/** A part of a value that does not match its schema. */
export type Problem = { where: string; what: string };

/**
 * The problems of a value that does not match its schema, in the words of the server.
 *
 * @param value a JSON value
 * @param where the place of the value: `body`, or `query/limit`
 */
export function problemsOf(value: unknown, schema: object, definitions: object, where: string): Problem[] {
  const root = { ...schema, $defs: definitions };
  const { errors } = new Validator(root, '2020-12', false).validate(value);
  const problems = errors.flatMap((error) => problemOf(error, root, where));
  return problems.filter(
    (problem, index) =>
      problems.findIndex((other) => other.where === problem.where && other.what === problem.what) === index,
  );
}

type Wording = (limit: unknown) => string;

const atLeast =
  (unit: string): Wording =>
  (limit) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} ${unit}`;
const atMost =
  (unit: string): Wording =>
  (limit) =>
    `must have at most ${limit} ${unit}`;

/** What is wrong if a keyword with this value does not match. The other keywords report that a schema below them does not match. */
const wordings: Record<string, Wording> = {
  false: () => 'is unknown',
  type: (types) => typeWords([types].flat().map(String)),
  enum: (values) => `must be one of ${[values].flat().map(String).join(', ')}`,
  const: () => 'must be equal to constant',
  minLength: atLeast('characters'),
  maxLength: atMost('characters'),
  minItems: atLeast('items'),
  maxItems: atMost('items'),
  minProperties: atLeast('properties'),
  maxProperties: atMost('properties'),
  uniqueItems: () => 'must not contain a value twice',
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  exclusiveMinimum: (limit) => `must be > ${limit}`,
  exclusiveMaximum: (limit) => `must be < ${limit}`,
  multipleOf: (divisor) => `must be multiple of ${divisor}`,
  pattern: (pattern) => `must match pattern "${pattern}"`,
  format: (name) => `must match format "${name}"`,
  not: () => 'must NOT be valid',
  anyOf: () => 'must match a schema in anyOf',
  oneOf: () => 'must match exactly one schema in oneOf',
};

function typeWords(types: readonly string[]): string {
  const [type = '', ...others] = types;
  if (others.length > 0) return others.join() === 'null' ? `must be ${type} or null` : `must be ${types.join()}`;
  if (type === 'null') return 'must be null';
  return `must be ${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function problemOf({ keyword, keywordLocation, instanceLocation, error }: OutputUnit, root: object, where: string) {
  const place = `${where}${instanceLocation.slice(1)}`;
  if (keyword === 'required') return [{ where: `${place}/${/"(.*)"/s.exec(error)?.[1]}`, what: 'is required' }];
  const words = wordings[keyword];
  if (words === undefined) return [];
  const schema = keyword === 'false' ? {} : schemaAt(root, keywordLocation);
  const said = keyword === 'pattern' ? schema['x-pattern-says'] : undefined;
  return [{ where: place, what: typeof said === 'string' ? said : words(schema[keyword]) }];
}

/** The schema with the keyword at this place, which follows references. */
function schemaAt(root: object, location: string): Record<string, unknown> {
  const names = stepsOf(location).slice(0, -1);
  return names.reduce<Record<string, unknown>>((schema, name) => {
    const next = Object(schema[name]);
    return name === '$ref' ? Object(definitionAt(root, String(schema['$ref']))) : next;
  }, Object(root));
}

/** What `#/$defs/NAME` refers to. */
function definitionAt(root: object, reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((node, name) => Object(node)[decodeURIComponent(name)], root);
}
