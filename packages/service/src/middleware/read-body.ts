import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { RequestBody } from '../common/facts.ts';
import { failureOfBody, headerValues } from '../http/message.ts';
import { ApiError, invalidRequest } from '../openapi/api-error.ts';
import { parseJson } from '../openapi/parse-json.ts';
import { readMultipart, readUrlEncoded } from './read-form.ts';

type RequestType = RequestBody['mediaTypes'][string];

/**
 * Reads the body into `req.body` as its media type requires: JSON as a value, text as a string, a form as an object,
 * anything else as bytes, and a streamed body as an AsyncIterable of strings or bytes. Errors: 400, 413, 415.
 */
export const readBody: RequestHandler = (request, response, next) => {
  const { route } = request.context;
  if (route.kind !== 'operation') return next();
  const { requestBody } = route.operation.facts;
  if (requestBody === null) return refuseBody(request, response, next);
  if (!hasBody(request)) {
    if (requestBody.required) throw invalidRequest([{ where: 'body', what: 'is required' }]);
    if (route.operation.facts.rawBody) request.context.rawBody = new Uint8Array();
    return next();
  }
  const [name, type] = mediaTypeOf(request, requestBody);
  request.context.contentType = name;
  checkBodyHeaders(request, type.maxBytes);
  // Only now, because the caller is authenticated and the headers are valid.
  if (expectsContinue(request)) response.writeContinue();
  if (type.stream) {
    refuseConsumed(request);
    request.body = readPieces(request, type);
    return next();
  }
  return readBytes(request, type.maxBytes).then(async (bytes) => {
    if (route.operation.facts.rawBody) request.context.rawBody = bytes;
    if (type.kind === 'form') request.body = await readForm(request, name, bytes, type);
    else request.body = parse(bytes, type);
    next();
  });
};

async function readForm(request: Request, name: string, bytes: Buffer, { fields = {} }: RequestType): Promise<unknown> {
  const form =
    name === 'multipart/form-data'
      ? await readMultipart(request.headers['content-type'] ?? '', bytes, fields)
      : readUrlEncoded(bytes, fields);
  request.context.form = form;
  return form.values;
}

/** Refuses a body that the operation would ignore. Some clients send a chunked body without any chunk. */
const refuseBody: RequestHandler = (request, response, next) => {
  if (!hasBody(request)) return next();
  const unexpected = () =>
    invalidRequest([{ where: 'body', what: 'is not supported by this operation; send no body' }]);
  if (request.headers['transfer-encoding'] === undefined) throw unexpected();
  if (expectsContinue(request)) response.writeContinue();
  return readBytes(request, 0).then(
    () => next(),
    (error: unknown) => {
      throw error instanceof ApiError && error.code === 'body_too_large' ? unexpected() : error;
    },
  );
};

function parse(bytes: Buffer, { kind }: RequestType): unknown {
  if (kind === 'json') return parseJson(bytes);
  return kind === 'text' ? decodeText(new TextDecoder('utf-8', { fatal: true }), bytes) : bytes;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The media type of the body, as the contract names it. @throws ApiError 415 if the operation does not accept it */
function mediaTypeOf({ rawHeaders }: Request, { mediaTypes }: RequestBody): [name: string, type: RequestType] {
  const sent = headerValues(rawHeaders, 'content-type');
  const [name, ...parameters] = (sent[0] ?? '').split(';');
  const wanted = name?.trim().toLowerCase() ?? '';
  const type = Object.hasOwn(mediaTypes, wanted) ? mediaTypes[wanted] : undefined;
  if (sent.length !== 1 || type === undefined || (type.kind !== 'binary' && !isUtf8(parameters))) {
    const accepted = Object.keys(mediaTypes).map((each) => `"Content-Type: ${each}"`);
    const encoding = Object.values(mediaTypes).some(({ kind }) => kind !== 'binary') ? ', encoded as UTF-8' : '';
    throw new ApiError(
      'unsupported_media_type',
      `The Content-Type is missing or not supported. Send the body as ${accepted.join(' or ')}${encoding}.`,
    );
  }
  return [wanted, type];
}

/** Text is always UTF-8, as RFC 8259 requires for JSON, so a `charset` parameter is refused only if it names another encoding. */
function isUtf8(parameters: readonly string[]): boolean {
  const charsets = parameters.map((part) => part.trim().toLowerCase()).filter((part) => /^charset\s*=/.test(part));
  return charsets.every((charset) => /^charset=(utf-?8|"utf-?8")$/.test(charset));
}

/** RFC 9110 10.1.1: HTTP/1.0 has no 100 Continue, and other expectations may be ignored. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(^|,)\s*100-continue\s*(,|$)/i.test(headers.expect ?? '');
}

/** @throws ApiError 413 if the body is larger than allowed, 415 if it is compressed */
function checkBodyHeaders({ headers }: IncomingMessage, maxBytes: number): void {
  const coding = headers['content-encoding'] ?? '';
  // An empty Content-Encoding is valid and names no coding (RFC 9110 5.6.1.2).
  const message = 'Compressed bodies are not supported. Send the body without Content-Encoding.';
  if (coding !== '' && coding.toLowerCase() !== 'identity') throw new ApiError('unsupported_media_type', message);
  if (Number(headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
}

/** A middleware of the API has read the body, or part of it, so no event would tell its end. */
function refuseConsumed(request: IncomingMessage): void {
  if (!request.readableDidRead && !request.readableEnded) return;
  throw new Error(
    'A middleware has already read the body of this request. Mount body parsers on your own routes only, as in Router().post(path, express.json(), handler).',
  );
}

/**
 * Reads a body of at most `maxBytes`. Not with body-parser, which takes 7 % of the time of a creation.
 * Rejects with an ApiError: 413 if the body is too large, 400 if it is cut off.
 */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    refuseConsumed(request);
    // The connection closed while the key was looked up, so no further events will arrive.
    if (request.destroyed || failureOfBody(request) !== undefined) throw cutOff(request);
    const chunks: Buffer[] = [];
    let size = 0;
    const read = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      // The rest is not read; the connection closes after the response.
      request.off('data', read).pause();
      reject(tooLarge(maxBytes));
    };
    request.on('data', read);
    request.on('end', () => resolve(joined(chunks)));
    request.on('close', () => {
      if (!request.readableEnded) reject(cutOff(request));
    });
  });
}

/**
 * Reads a request body piece by piece, as fast as the operation consumes it. Throws an ApiError: 413 if the body is too
 * large, 400 if it is cut off or, as text, is not UTF-8.
 */
export async function* readPieces(
  request: IncomingMessage,
  { kind, maxBytes }: Pick<RequestType, 'kind' | 'maxBytes'>,
): AsyncGenerator<string | Uint8Array> {
  const decoder = kind === 'binary' ? undefined : new TextDecoder('utf-8', { fatal: true });
  let size = 0;
  try {
    if (failureOfBody(request) !== undefined) throw cutOff(request);
    // The request must stay open if the operation does not read all of it: the response is sent on the same socket.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!(chunk instanceof Uint8Array)) continue;
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield decoder === undefined ? chunk : decodeText(decoder, chunk, true);
    }
    if (decoder !== undefined) decodeText(decoder);
  } catch (error) {
    throw isCutOff(error) ? cutOff(request) : error;
  }
}

/** The connection closed before the body was complete. */
function isCutOff(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'ECONNRESET' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
  );
}

function decodeText(decoder: TextDecoder, bytes?: Uint8Array, stream = false): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw invalidRequest([{ where: 'body', what: 'must be encoded as UTF-8' }]);
  }
}

/** Most bodies arrive in one chunk, which needs no copy. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('body_too_large', `The body is larger than ${maxBytes} bytes. Send a smaller body.`);
}

function cutOff(request: IncomingMessage): Error {
  return (
    failureOfBody(request) ??
    new ApiError('malformed_http', 'The body is shorter than its Content-Length. Send the whole body.')
  );
}
