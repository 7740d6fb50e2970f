import type { IncomingMessage } from 'node:http';
import { type ErrorDetail, operations } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { LosslessNumber, parse } from 'lossless-json';
import { ApiError, invalidRequest } from '../contract/api-error.ts';
import { exactNumber } from '../contract/integers.ts';
import { parsePlain } from '../contract/plain-json.ts';
import { headerValues } from '../http/message.ts';
import { checkBodyHeaders, readBytes } from './read-bytes.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the JSON body of an operation that has one into req.body: application/json in UTF-8, at most `x-limits.bodyBytes`, not compressed, no key
 * twice with different values, every integer exact. Errors: 400, 413, 415.
 */
export const readBody: RequestHandler = (request, response, next) => {
  const { route } = request.context;
  if (route.kind !== 'operation' || !operations[route.id].hasBody) return next();
  return readJson(request, response, next);
};

const readJson: RequestHandler = (request, response, next) => {
  if (!hasBody(request.headers)) throw invalidRequest([{ where: 'body', what: 'is required' }]);
  const types = headerValues(request.rawHeaders, 'content-type');
  if (types.length !== 1 || !isJson(types[0])) {
    throw new ApiError('unsupported_media_type', 'Send the body as JSON, with "Content-Type: application/json".');
  }
  checkBodyHeaders(request);
  // Asked for by Expect: 100-continue; the caller is known by now.
  if (expectsContinue(request)) response.writeContinue();
  return readBytes(request).then((bytes) => {
    request.body = parseBody(bytes);
    next();
  });
};

function hasBody(headers: {
  'transfer-encoding'?: string | undefined;
  'content-length'?: string | undefined;
}): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** RFC 8259: JSON is UTF-8; the parameter charset has no meaning, so only a contradiction is refused. */
function isJson(contentType: string | undefined): boolean {
  // What nearly all send.
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  const charsets = parameters.map((part) => part.trim()).filter((part) => /^charset\s*=/.test(part));
  return charsets.every((charset) => /^charset=(utf-?8|"utf-?8")$/.test(charset));
}

/** RFC 9110 10.1.1: HTTP/1.0 knows no 100, and what else is expected may be ignored. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(^|,)\s*100-continue\s*(,|$)/i.test(headers.expect ?? '');
}

/** @throws ApiError `invalid_json` or, for a number that cannot be kept exactly, `invalid_request` */
export function parseBody(bytes: Uint8Array): unknown {
  const text = readable(() => decoder.decode(bytes));
  return parsePlain(text) ?? parseWithCare(text);
}

function parseWithCare(text: string): unknown {
  const body = readable(() => parse(text, null, (literal) => exactNumber(literal) ?? new LosslessNumber(literal)));
  const problems = roundedNumbers(body);
  if (problems.length > 0) throw invalidRequest(problems);
  return body;
}

/** What `read` makes of the caller's bytes. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ApiError('invalid_json', `The body is not valid JSON in UTF-8: ${reason(cause)}.`, { cause });
  }
}

/** What the parser says of the caller's text, which it may repeat at full length, without the parser's own failures. */
function reason(cause: unknown): string {
  if (cause instanceof SyntaxError) return cause.message.slice(0, 200).replace(/\p{Cc}/gu, '�');
  if (cause instanceof RangeError) return 'it is nested too deeply';
  return 'it is not encoded as UTF-8';
}

/** Not recursive: the parser returns values that are nested more deeply than a second recursion can follow. */
function roundedNumbers(body: unknown): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const waiting: [where: string, value: unknown][] = [['body', body]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [where, value] = next;
    if (value instanceof LosslessNumber) problems.push({ where, what: roundedNumber(value.value) });
    else if (typeof value === 'object' && value !== null) {
      for (const [key, entry] of Object.entries(value).reverse()) waiting.push([`${where}/${key}`, entry]);
    }
  }
  return problems;
}

function roundedNumber(literal: string): string {
  return `must be between -(2^53-1) and 2^53-1 and exact: ${literal.slice(0, 40)} would be rounded`;
}
