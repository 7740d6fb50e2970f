import type { ErrorDetail } from '@animal-store/contract';
import { ApiError, invalidRequest } from './api-error.ts';
import { contractDocument } from './document.ts';

let patternWords: Map<string, string> | undefined;

type ValidatorError = { status: number; errors?: { path?: string; message?: string }[]; message?: string };

function isValidatorError(error: unknown): error is ValidatorError {
  return typeof error === 'object' && error !== null && 'status' in error && typeof error.status === 'number';
}

/**
 * express-openapi-validator's errors in the contract's words; anything else stays what it is.
 *
 * @param own what we found by ourselves; what the validator says of the same places is said already
 */
export function toApiError(error: unknown, own: ErrorDetail[]): unknown {
  if (!isValidatorError(error)) return error;
  if (error.status === 415) return new ApiError('unsupported_media_type', 'Send the body as application/json.');
  if (error.status !== 400) return error;
  const problems = (error.errors ?? []).map(({ path = '', message = 'is invalid' }) => ({
    where: whereOf(path),
    what: whatOf(message),
  }));
  const others = problems.filter((problem) => own.every(({ where }) => where !== problem.where));
  return invalidRequest([...own, ...others.filter((problem) => !isSaidBetter(problem, others))]);
}

/** The format int64 adds nothing to "must be integer" and to the bounds, which are named beside it. */
function isSaidBetter(problem: ErrorDetail, problems: ErrorDetail[]): boolean {
  return (
    problem.what.startsWith('must match format') &&
    problems.some((other) => other !== problem && other.where === problem.where)
  );
}

/** Looked for when first needed: it takes a walk through the whole contract, for which no start should wait. */
function wordsFor(pattern: string): string | undefined {
  patternWords ??= new Map(wordsForPatterns(contractDocument));
  return patternWords.get(pattern);
}

/** Every `pattern` of the contract that stands beside an `x-pattern-says`. */
function* wordsForPatterns(node: unknown): Generator<[pattern: string, words: string]> {
  if (typeof node !== 'object' || node === null) return;
  if ('pattern' in node && 'x-pattern-says' in node) yield [String(node.pattern), String(node['x-pattern-says'])];
  for (const child of Object.values(node)) yield* wordsForPatterns(child);
}

/** `/params/petId` and `/headers/idempotency-key` as the contract names them: `path/petId`, `header/Idempotency-Key`. */
function whereOf(path: string): string {
  // Of a property without a name the validator forgets where it stood; only bodies have such.
  if (path === '') return 'body/';
  const header = /^\/headers\/(.+)$/.exec(path)?.[1];
  if (header !== undefined) return `header/${header.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())}`;
  return path.replace(/^\//, '').replace(/^params\//, 'path/');
}

/** A pattern in the words of the contract, where it has words for it; everything else as the validator says it. */
function whatOf(message: string): string {
  const pattern = /^must match pattern "(.*)"$/s.exec(message)?.[1];
  const words = pattern === undefined ? undefined : wordsFor(pattern);
  if (message.startsWith('must NOT have additional properties')) return 'is unknown';
  if (message.startsWith('must have required property')) return 'is required';
  return words ?? message.replace(/\p{Cc}/gu, '�').slice(0, 200);
}
