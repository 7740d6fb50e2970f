import { type ErrorDetail, type OperationId, operationFacts } from '@animal-store/contract';
import { invalidRequest } from './api-error.ts';
import { contractDocument } from './document.ts';

const decimalInteger = /^(0|-?[1-9][0-9]*)$/;

/** Whether a path or query value is an integer in plain decimal digits that a JSON number represents exactly. */
export function isExactInteger(text: string): boolean {
  return decimalInteger.test(text) && Number.isSafeInteger(Number(text));
}

/** Query or path parameters by name, as sent. */
type Params = Readonly<Record<string, unknown>>;

/**
 * Integers and numbers that are not in plain decimal digits. The validator accepts `0x10`, `1e2` and ` 5`, and rounds large
 * integers. `unknownOrEmptyParams` reports a parameter without a value.
 */
export function inexactNumbers(id: OperationId, query: Params, path: Params, headers: Params): ErrorDetail[] {
  const { integers, numbers } = operationFacts[id];
  const problems: ErrorDetail[] = [];
  const check = (name: string, where: string, value: unknown, kind: Kind) => {
    if (value !== undefined && !isExact(value, kind)) problems.push({ where: `${where}/${name}`, what: kind.what });
  };
  for (const [names, kind] of [[integers, integerKind] as const, [numbers, numberKind] as const]) {
    for (const name of names.query) check(name, 'query', query[name], kind);
    for (const name of names.path) check(name, 'path', path[name], kind);
    for (const name of names.header) check(name, 'header', headers[name.toLowerCase()], kind);
  }
  return problems;
}

type Kind = { matches: (text: string) => boolean; what: string };
const integerKind: Kind = {
  matches: isExactInteger,
  what: 'must be an integer in plain digits, between -(2^53-1) and 2^53-1',
};
const numberKind: Kind = {
  matches: (text) => /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text),
  what: 'must be a number in plain digits, such as 12 or 0.5',
};

function isExact(value: unknown, kind: Kind): boolean {
  if (Array.isArray(value)) return value.every((each) => isExact(each, kind));
  return typeof value !== 'string' || value === '' || kind.matches(value);
}

/** Parameters such as `id[]`, which the validator accepts as `id` after the check of exact integers. */
export function bracketedParams(query: Params, known: ReadonlySet<string>): ErrorDetail[] {
  return Object.keys(query)
    .filter((name) => name.endsWith('[]') && known.has(name.slice(0, -2)))
    .map((name) => ({ where: `query/${name.slice(0, -2)}`, what: 'must be written without []' }));
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
 *
 * @param found problems from the functions above; they replace the validator's errors for the same place
 */
export function translateValidatorError(error: unknown, found: ErrorDetail[]): unknown {
  if (!isValidatorError(error)) return error;
  if (error.status !== 400) return error;
  const problems = (error.errors ?? [])
    // This only says that an alternative failed (see document.ts); the problems of the alternative itself are reported, too.
    .filter(({ message = '' }) => !message.startsWith('must match "then"'))
    .map(({ path = '', message = 'is invalid' }) => ({ where: whereOf(path), what: whatOf(message) }));
  const others = problems.filter((problem) => found.every(({ where }) => where !== problem.where));
  return invalidRequest([...found, ...others.filter((problem) => !isRedundant(problem, others))]);
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

function whatOf(message: string): string {
  const pattern = /^must match pattern "(.*)"$/s.exec(message)?.[1];
  const words = pattern === undefined ? undefined : wordsFor(pattern);
  if (message.startsWith('must NOT have additional properties')) return 'is unknown';
  if (message.startsWith('must have required property')) return 'is required';
  return words ?? message.replace(/\p{Cc}/gu, '�').slice(0, 200);
}

let wordsByPattern: Map<string, string> | undefined;

/** The `x-pattern-says` of a pattern. Collected on first use, because walking the contract would delay the start. */
function wordsFor(pattern: string): string | undefined {
  wordsByPattern ??= new Map(patternsIn(contractDocument));
  return wordsByPattern.get(pattern);
}

function* patternsIn(node: unknown): Generator<[pattern: string, words: string]> {
  if (typeof node !== 'object' || node === null) return;
  if ('pattern' in node && 'x-pattern-says' in node) yield [String(node.pattern), String(node['x-pattern-says'])];
  for (const child of Object.values(node)) yield* patternsIn(child);
}
