import type { IncomingMessage } from 'node:http';
import { limits, operations } from '@animal-store/contract';
import type { RequestHandler } from 'express';
import { ApiError, invalidRequest } from '../contract/api-error.ts';
import { parseJson } from '../contract/parse-json.ts';
import { headerValues } from '../http/message.ts';

/**
 * Reads the JSON body of an operation that has one into `req.body`: application/json in UTF-8, at most `x-limits.bodyBytes`,
 * not compressed, without duplicate properties of different values or inexact integers. Errors: 400, 413, 415.
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
  // Only now, because the caller is authenticated and the headers are valid.
  if (expectsContinue(request)) response.writeContinue();
  return readBytes(request).then((bytes) => {
    request.body = parseJson(bytes);
    next();
  });
};

function hasBody(headers: {
  'transfer-encoding'?: string | undefined;
  'content-length'?: string | undefined;
}): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** RFC 8259: JSON is always UTF-8, so a `charset` parameter is refused only if it names another encoding. */
function isJson(contentType: string | undefined): boolean {
  // Fast path: nearly all requests send exactly this.
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') return false;
  const charsets = parameters.map((part) => part.trim()).filter((part) => /^charset\s*=/.test(part));
  return charsets.every((charset) => /^charset=(utf-?8|"utf-?8")$/.test(charset));
}

/** RFC 9110 10.1.1: HTTP/1.0 has no 100 Continue, and other expectations may be ignored. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(^|,)\s*100-continue\s*(,|$)/i.test(headers.expect ?? '');
}

/**
 * Checks the headers of a body before any of it is read.
 * @throws ApiError 413 if it is larger than `x-limits.bodyBytes`, 415 if it is compressed
 */
export function checkBodyHeaders({ headers }: IncomingMessage): void {
  const coding = headers['content-encoding'] ?? '';
  // An empty Content-Encoding is valid and names no coding (RFC 9110 5.6.1.2).
  if (coding !== '' && coding.toLowerCase() !== 'identity') throw compressed();
  if (Number(headers['content-length']) > limits.bodyBytes) throw tooLarge();
}

/**
 * Reads a request body of at most `x-limits.bodyBytes`. Not with body-parser, whose support for encodings and compression
 * is not needed and takes 7 % of the time of a creation.
 * Rejects with an ApiError: 413 if the body is too large, 400 if it is cut off.
 */
export function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The connection closed while the key was looked up, so no further events will arrive.
    if (request.destroyed) throw cutOff();
    const chunks: Buffer[] = [];
    let size = 0;
    const read = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limits.bodyBytes) return;
      // The rest is not read; the connection closes after the response.
      request.off('data', read).pause();
      reject(tooLarge());
    };
    request.on('data', read);
    request.on('end', () => resolve(joined(chunks)));
    request.on('close', () => {
      if (!request.readableEnded) reject(cutOff());
    });
  });
}

/** Most bodies arrive in one chunk, which needs no copy. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function tooLarge(): ApiError {
  return new ApiError('body_too_large', `The body may have ${limits.bodyBytes} bytes at most.`);
}

function compressed(): ApiError {
  return new ApiError('unsupported_media_type', 'Send the body as it is, without Content-Encoding.');
}

function cutOff(): ApiError {
  return new ApiError('malformed_http', 'The body is shorter than Content-Length says.');
}
