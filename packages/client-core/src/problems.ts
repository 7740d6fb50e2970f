import { type OutputUnit, validate } from '@cfworker/json-schema';
import { pointerStep, stepsOf } from './pointer.ts';

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
  // References are followed when they are met: a contract may have thousands of definitions.
  const targets = new Proxy<Record<string, object>>(
    {},
    { get: (_, reference) => definitionAt(root, String(reference)) },
  );
  const { errors } = validate(value, root, '2020-12', targets, false);
  const problems = errors.flatMap((error) => problemOf(error, root, where));
  return problems.filter((problem, index) => {
    const isFirst = problems.findIndex((other) => isSame(other, problem)) === index;
    return isFirst && !(problem.what === unknown && problems.some((other) => isWithin(other, problem)));
  });
}

const isSame = (one: Problem, other: Problem) => one.where === other.where && one.what === other.what;

/** A property that is not valid is also unevaluated; only its own problems say what to do. */
const isWithin = (one: Problem, { where }: Problem) => one.what !== unknown && `${one.where}/`.startsWith(`${where}/`);

type Wording = (limit: unknown) => string;

const atLeast =
  (unit: string): Wording =>
  (limit) =>
    limit === 1 ? 'must not be empty' : `must have at least ${limit} ${unit}`;
const atMost =
  (unit: string): Wording =>
  (limit) =>
    `must have at most ${limit} ${limit === 1 ? unit.replace(/ies$/, 'y').replace(/s$/, '') : unit}`;

const unknown = 'is unknown';

/** What is wrong if a keyword with this value does not match. The other keywords report that a schema below them does not match. */
const wordings: Record<string, Wording> = {
  false: () => unknown,
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
  contains: () => 'must contain at least 1 valid item(s)',
  minContains: (limit) => `must contain at least ${limit} valid item(s)`,
  maxContains: (limit) => `must contain at most ${limit} valid item(s)`,
  propertyNames: () => 'property name must be valid',
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
  // Locations are URI fragments.
  const place = `${where}${decodeURIComponent(instanceLocation.slice(1))}`;
  if (keyword === 'required') {
    const [, name = ''] = /"(.*)"/s.exec(error) ?? [];
    return [{ where: `${place}/${pointerStep(name)}`, what: 'is required' }];
  }
  const words = wordings[keyword];
  const schema = keyword === 'false' ? {} : schemaAt(root, decodeURIComponent(keywordLocation));
  if (keyword === 'dependentRequired') {
    const [, trigger = '', missing = ''] = /"(.*)" but does not have "(.*)"/s.exec(error) ?? [];
    const names: unknown[] = [Object(schema[keyword])[trigger]].flat();
    const properties = `${names.length === 1 ? 'property' : 'properties'} ${names.join(', ')}`;
    return [
      {
        where: `${place}/${pointerStep(missing)}`,
        what: `must have ${properties} when property ${trigger} is present`,
      },
    ];
  }
  if (words === undefined) return [];
  const said = keyword === 'pattern' ? schema['x-pattern-says'] : undefined;
  if (keyword === 'not' && schema['readOnly'] === true) return [{ where: place, what: 'is read-only' }];
  // The problem of a name is one of the object that has it.
  const isName = /\/propertyNames\/\w+$/.test(keywordLocation);
  return [
    {
      where: isName ? place.replace(/\/[^/]*$/, '') : place,
      what: typeof said === 'string' ? said : words(schema[keyword]),
    },
  ];
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
export function definitionAt(root: object, reference: string): unknown {
  return stepsOf(decodeURIComponent(reference)).reduce<unknown>((node, name) => Object(node)[name], root);
}
