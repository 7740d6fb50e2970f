import { type OutputUnit, Validator } from '@cfworker/json-schema';

/** A part of a value that does not match its schema. */
export type Problem = { where: string; what: string };

/** The problems of a value that does not match its schema, one entry for each place. */
export function problemsOf(value: unknown, schema: object, definitions: object, where: string): Problem[] {
  // Leaves out keywords that only report that a schema below them did not match.
  const { errors } = new Validator({ ...schema, $defs: definitions }, '2020-12', false).validate(value);
  const problems = errors.filter(({ keyword }) => !composing.has(keyword)).map((error) => problemOf(error, where));
  return problems.filter((problem, index) => problems.findIndex(({ where }) => where === problem.where) === index);
}

const composing = new Set([
  '$ref',
  'additionalProperties',
  'allOf',
  'anyOf',
  'if',
  'items',
  'oneOf',
  'prefixItems',
  'properties',
  'unevaluatedProperties',
]);

function problemOf({ keyword, instanceLocation, error }: OutputUnit, where: string): Problem {
  const place = `${where}${instanceLocation.slice(1)}`;
  if (keyword === 'false') return { where: place, what: 'is unknown' };
  if (keyword === 'required') return { where: `${place}/${/"(.*)"/s.exec(error)?.[1]}`, what: 'is required' };
  const [, type, expected] = /^Instance type "(.*)" is invalid. Expected "(.*)"/.exec(error) ?? [];
  if (expected !== undefined) return { where: place, what: `must be ${expected}, not ${type}` };
  const words = error.replace(/^(Instance|String|Array|-?[\d.e+]+) /, '').replace(/\.$/, '');
  return { where: place, what: words };
}
