import { type ErrorDetail, type OperationId, operations } from '@animal-store/contract';
import { isExactInteger } from './integers.ts';

/** The values of a query or of a path, by name, before the validator has read them. */
type Values = Readonly<Record<string, unknown>>;

/**
 * The validator reads `0x10`, `1e2` and ` 5` as integers, and rounds large ones; the contract means plain digits.
 * One without a value is told so below.
 */
export function inexactIntegers(id: OperationId, query: Values, path: Values): ErrorDetail[] {
  const { integers } = operations[id];
  const problems: ErrorDetail[] = [];
  for (const name of integers.query) if (isInexact(query[name])) problems.push(inexact(`query/${name}`));
  for (const name of integers.path) if (isInexact(path[name])) problems.push(inexact(`path/${name}`));
  return problems;
}

function isInexact(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !isExactInteger(value);
}

function inexact(where: string): ErrorDetail {
  return { where, what: 'must be an integer in plain digits, between -(2^53-1) and 2^53-1' };
}

/** Query parameters that the operation does not have, and those sent without a value. */
export function unknownOrEmptyParams(query: Values, known: ReadonlySet<string>): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  for (const name in query) {
    if (!known.has(name)) problems.push({ where: `query/${name}`, what: 'is unknown' });
    else if (query[name] === '') problems.push({ where: `query/${name}`, what: 'must not be empty' });
  }
  return problems;
}
