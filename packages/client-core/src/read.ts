import type { CallError } from './errors.ts';
import { isJson } from './headers.ts';
import type { MaybePromise } from './options.ts';
import { type Call, factsOf } from './sending/attempt.ts';
import { plainError, requestIdOf } from './unwrap.ts';

/** A JSON response to check. */
export type JsonResponse = {
  /** Its method and path in the contract: `GET /notes/{noteId}`. */
  operation: string;
  status: number;
  /** Its `Content-Type`. */
  mediaType: string;
  body: unknown;
};

/** Returns the problem with a response; undefined if it is valid. */
export type ResponseValidator = (response: JsonResponse) => MaybePromise<string | undefined>;

/** Reads an error that the contract documents in another form. `problem` is its media type if that is not JSON, or what is wrong with it. */
export type ErrorReader = (error: JsonResponse, problem?: string) => ReadError | undefined;
type ReadError = Pick<CallError, 'code' | 'message' | 'details' | 'data'>;

/** The result of openapi-fetch. The body of a failure is already parsed, or a text if it is not JSON. */
type Received = { response: Response; error?: unknown };

/**
 * The result of a call: `data` as the contract promises it, or an `error`. Throws only if a streamed body breaks off,
 * never because of the content of a response.
 */
export async function read(
  { response, error: body }: Received,
  call: Call,
  validate: ResponseValidator | false | undefined,
  mayBeEmpty: boolean,
  readError?: ErrorReader,
): Promise<{ data?: unknown; error?: CallError; response: Response }> {
  const { status, headers, ok } = response;
  const { operation, parseAs } = call;
  const mediaType = headers.get('Content-Type') ?? '';
  let { problem } = call;
  let text = typeof body === 'string' ? body : body ? JSON.stringify(body) : '';
  if (status === 304 || (ok && /^HEAD/.test(operation))) return { data: undefined, response };
  if (ok && !problem) {
    if (status !== 204 && parseAs !== 'json') {
      return { data: parseAs === 'stream' ? response.body : await response[parseAs](), response };
    }
    text = await response.text();
    const isEmpty = !text && (status === 204 || !mediaType);
    if (isEmpty && mayBeEmpty) return { data: undefined, response };
    try {
      body = JSON.parse(text);
    } catch {
      problem = isEmpty ? 'no body' : 'not JSON';
    }
  }
  const received = { operation, status, mediaType, body };
  if (!isJson(mediaType)) problem ??= mediaType;
  else if (validate) problem ??= await validate(received);
  if (ok && !problem) return { data: body, response };
  const given = plainError(!ok && body);
  const documented = readError?.(received, problem);
  // A gateway or another API also says what is wrong.
  if (typeof given['message'] === 'string') problem = given['message'];
  if (status === 0 || (status > 299 && status < 400)) problem = 'a redirect; check `baseUrl`';
  const error = {
    code: 'unexpected_response',
    message: `Not an API response (${status}): ${problem || 'no code'}.`,
    // An error of the API counts as one even if a gateway has changed its media type.
    ...(documented ?? (typeof given['code'] === 'string' && given)),
    status,
    requestId: requestIdOf(response),
    ...factsOf(call),
  };
  if (error.code === 'unexpected_response' && text)
    Object.defineProperty(error, 'body', { value: text.slice(0, 1_000) });
  return { error, response };
}
