import { isNumber } from 'lossless-json';
import type { ErrorDetail, OperationFacts } from '../common/facts.ts';
import { invalidRequest } from './api-error.ts';
import type { OpenApiDocument } from './document.ts';

const decimalInteger = /^(0|-?[1-9][0-9]*)$/;

/** Whether a path or query value is an integer in plain decimal digits that a JSON number represents exactly. */
export function isExactInteger(text: string): boolean {
  return decimalInteger.test(text) && Number.isSafeInteger(Number(text));
}

/** Whether a path or query value is a number in JSON notation. */
export function isExactNumber(text: string): boolean {
  return isNumber(text) && Number.isFinite(Number(text));
}

type Params = Readonly<Record<string, unknown>>;

type Place = 'query' | 'path' | 'header';
export type NumericParam = { name: string; place: Place; isExact: (text: string) => boolean; what: string };

const integer = 'must be an integer between -(2^53-1) and 2^53-1, in plain digits';
const number = 'must be a number in JSON notation, such as 12 or 0.5';

export function numericParamsOf({ integers, numbers }: OperationFacts): NumericParam[] {
  const places: Place[] = ['query', 'path', 'header'];
  return places.flatMap((place) => [
    ...integers[place].map((name) => ({ name, place, isExact: isExactInteger, what: integer })),
    ...numbers[place].map((name) => ({ name, place, isExact: isExactNumber, what: number })),
  ]);
}

/**
 * Finds parameters that the validator accepts although they are not exact: numbers such as `0x10`, `1e2` and ` 5`, and
 * integers that it would round. `unknownOrEmptyParams` reports a parameter without a value.
 */
export function inexactParams(
  numericParams: readonly NumericParam[],
  { query, path, headers }: Record<'query' | 'path' | 'headers', Params>,
): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const check = (parameter: NumericParam, value: unknown, index?: number) => {
    if (typeof value !== 'string' || value === '' || parameter.isExact(value)) return;
    const where = `${parameter.place}/${parameter.name}${index === undefined ? '' : `/${index}`}`;
    problems.push({ where, what: parameter.what });
  };
  for (const parameter of numericParams) {
    const { name, place } = parameter;
    const value = place === 'query' ? query[name] : place === 'path' ? path[name] : headers[name.toLowerCase()];
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) check(parameter, item, index);
    } else check(parameter, value);
  }
  return problems;
}

/** Whether an unknown parameter has a bracket in its name: the validator reads `id[]` as `id`, and removes `[id]`. */
export function hasBrackets(query: Params, known: ReadonlySet<string>): boolean {
  for (const name in query) if (name.includes('[') && !known.has(name)) return true;
  return false;
}

/** Query parameters that the operation does not have, and parameters without a value. */
export function unknownOrEmptyParams(query: Params, known: ReadonlySet<string>): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  for (const name in query) {
    if (!known.has(name)) problems.push({ where: `query/${name}`, what: 'is unknown' });
    else if (query[name] === '') problems.push({ where: `query/${name}`, what: 'must not be empty' });
  }
  return problems;
}

type ValidatorError = { status: number; errors?: { path?: string; message?: string }[]; message?: string };

function isValidatorError(error: unknown): error is ValidatorError {
  return typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number';
}

/**
 * Translates an error of express-openapi-validator into the contract's terms; returns any other error unchanged.
 * @param found problems from the functions above; they replace the validator's errors for the same place
 */
export function translateValidatorError(error: unknown, found: ErrorDetail[], document: OpenApiDocument): unknown {
  if (!isValidatorError(error) || error.status !== 400) return error;
  const problems = (error.errors ?? [])
    // This only says that an alternative failed (see document.ts); the problems of the alternative itself are reported, too.
    .filter(({ message = '' }) => !/^must match "(then|else)"/.test(message))
    .map(({ path = '', message = 'is invalid' }) => ({ where: whereOf(path), what: whatOf(message, document) }));
  const others = problems.filter((problem) => !found.some(({ where }) => `${problem.where}/`.startsWith(`${where}/`)));
  const all = [...found, ...others.filter((problem) => !isRedundant(problem, others))];
  // Alternatives of a schema may have the same problem.
  const isSame = (one: ErrorDetail, other: ErrorDetail) => one.where === other.where && one.what === other.what;
  return invalidRequest(all.filter((problem, index) => all.findIndex((one) => isSame(one, problem)) === index));
}

/** An int64 format error is redundant next to "must be integer" and the bounds, which are reported as well. */
function isRedundant(problem: ErrorDetail, problems: ErrorDetail[]): boolean {
  return (
    problem.what.startsWith('must match format') &&
    problems.some((other) => other !== problem && other.where === problem.where)
  );
}

/** `/params/id` and `/headers/idempotency-key` as the contract names them: `path/id`, `header/Idempotency-Key`. */
function whereOf(path: string): string {
  // The validator drops the path of a property whose name is empty; only bodies have such properties.
  if (path === '') return 'body/';
  const header = /^\/headers\/(.+)$/.exec(path)?.[1];
  if (header !== undefined) return `header/${header.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())}`;
  return path.replace(/^\//, '').replace(/^params\//, 'path/');
}

function whatOf(message: string, document: OpenApiDocument): string {
  const pattern = /^must match pattern "(.*)"$/s.exec(message)?.[1];
  const words = pattern === undefined ? undefined : wordsFor(pattern, document);
  const reworded = rewordings.reduce((text, [from, to]) => text.replace(from, to), message);
  return words ?? reworded.replace(/\p{Cc}/gu, '�').slice(0, 200);
}

const rewordings: [from: RegExp, to: string][] = [
  [/^must NOT have (additional|unevaluated) properties.*/s, 'is unknown'],
  [/^must have required property.*/s, 'is required'],
  [/^must NOT have fewer than 1 (?:character|item|propertie)s$/, 'must not be empty'],
  [/^must NOT have more than 1 properties$/, 'must have at most 1 property'],
  [/^must NOT have more than 1 (character|item)s$/, 'must have at most 1 $1'],
  [/^must NOT have fewer than /, 'must have at least '],
  [/^must NOT have more than /, 'must have at most '],
  [/^must NOT have duplicate items.*/s, 'must not contain a value twice'],
  // The validator writes null as an empty text.
  [/^(must be equal to one of the allowed values: .*), $/s, '$1, null'],
  [/^must be equal to one of the allowed values: /, 'must be one of '],
  [/^must be (\w+),null$/, 'must be $1 or null'],
  [/^must be <= /, 'must be at most '],
  [/^must be >= /, 'must be at least '],
  [/^must be (array|integer|object)$/, 'must be an $1'],
  [/^must be (boolean|number|string)$/, 'must be a $1'],
];

const wordsByPattern = new WeakMap<OpenApiDocument, ReadonlyMap<string, string>>();

/** The `x-pattern-says` of a pattern. Collected on first use, because walking the contract would delay the start. */
function wordsFor(pattern: string, document: OpenApiDocument): string | undefined {
  const words = wordsByPattern.get(document) ?? new Map(patternsIn(document));
  wordsByPattern.set(document, words);
  return words.get(pattern);
}

function* patternsIn(node: unknown): Generator<[pattern: string, words: string]> {
  if (typeof node !== 'object' || node === null) return;
  if ('pattern' in node && 'x-pattern-says' in node) yield [String(node.pattern), String(node['x-pattern-says'])];
  for (const child of Object.values(node)) yield* patternsIn(child);
}
