import { isSafeNumber, LosslessNumber, parse } from 'lossless-json';
import type { ErrorDetail } from '../common/facts.ts';
import { ApiError, invalidRequest } from './api-error.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body in UTF-8. Unlike `JSON.parse`, it refuses a property that occurs twice with different values
 * (`invalid_json`), and a number that would be rounded to or from an integer or half of a surrogate pair
 * (`invalid_request`).
 */
export function parseJson(bytes: Uint8Array): unknown {
  const body = parseExactly(bytes);
  const problems = inexactValues(body);
  if (problems.length > 0) throw invalidRequest(problems);
  return body;
}

function parseExactly(bytes: Uint8Array): unknown {
  try {
    return parse(decoder.decode(bytes), null, (literal) => exactNumber(literal) ?? new LosslessNumber(literal));
  } catch (cause) {
    throw new ApiError('invalid_json', `The body is not valid JSON in UTF-8: ${reasonOf(cause)}.`, { cause });
  }
}

/** The parser's message may repeat the caller's text, so it is shortened and control characters are replaced. */
function reasonOf(cause: unknown): string {
  if (cause instanceof SyntaxError) return cause.message.slice(0, 200).replace(/\p{Cc}/gu, '�');
  if (cause instanceof RangeError) return 'it is nested too deeply';
  return 'it is not encoded as UTF-8';
}

/** A loop instead of recursion: the parser accepts nesting that would overflow the stack here. */
function inexactValues(body: unknown): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const pending: [where: string, value: unknown][] = [['body', body]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [where, value] = next;
    if (value instanceof LosslessNumber) problems.push({ where, what: roundedNumber(value.value) });
    else if (typeof value === 'string' && !value.isWellFormed()) problems.push({ where, what: unpaired });
    else if (typeof value === 'object' && value !== null) {
      for (const [key, entry] of Object.entries(value).reverse()) {
        if (!key.isWellFormed()) problems.push({ where, what: 'has a property name with an unpaired surrogate' });
        pending.push([`${where}/${pointerStep(key)}`, entry]);
      }
    }
  }
  return problems;
}

/** A name as a step of a JSON pointer (RFC 6901). */
export function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

const unpaired = 'must not contain an unpaired surrogate';

function roundedNumber(literal: string): string {
  return `must be exact and between -(2^53-1) and 2^53-1, but ${literal.slice(0, 40)} would be rounded`;
}

/**
 * The value of a JSON number literal; undefined if rounding would change it to or from an integer: `1.0`, `10e-1` and `1e2` are integers,
 * while `9007199254740991.4` and `1e-400` would become integers only by rounding. Fractions are returned unchanged.
 */
export function exactNumber(literal: string): number | undefined {
  const value = Number(literal);
  if (!Number.isFinite(value) || (Number.isInteger(value) && !isSafeNumber(literal))) return undefined;
  // JSON has -0; integers do not.
  return value === 0 ? 0 : value;
}
