import type { ErrorDetail } from '@animal-store/contract';
import { LosslessNumber, parse } from 'lossless-json';
import { ApiError, invalidRequest } from './api-error.ts';
import { exactNumber } from './integers.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body in UTF-8. Unlike `JSON.parse`, it refuses a property that occurs twice with different values, and a
 * number that would be rounded to or from an integer.
 *
 * @throws ApiError `invalid_json`, or `invalid_request` for a rounded number
 */
export function parseJson(bytes: Uint8Array): unknown {
  const body = parseExactly(bytes);
  const problems = roundedNumbers(body);
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
function roundedNumbers(body: unknown): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const pending: [where: string, value: unknown][] = [['body', body]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [where, value] = next;
    if (value instanceof LosslessNumber) problems.push({ where, what: roundedNumber(value.value) });
    else if (typeof value === 'object' && value !== null) {
      for (const [key, entry] of Object.entries(value).reverse()) pending.push([`${where}/${key}`, entry]);
    }
  }
  return problems;
}

function roundedNumber(literal: string): string {
  return `must be between -(2^53-1) and 2^53-1 and exact: ${literal.slice(0, 40)} would be rounded`;
}
