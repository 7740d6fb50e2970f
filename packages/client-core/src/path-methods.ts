import type { CallError } from './errors.ts';
import type { CallOptions } from './methods.ts';
import type { FetchOptions, ParseAs } from './openapi-fetch.ts';

/** The result of a call: `data`, or `error`. */
export type CallResult<Data, Failure = CallError> =
  | { data: Data; error?: never; response: Response }
  | { data?: never; error: Failure; response: Response };

/** The options of every call by path: those of named methods, and those of `fetch` and of openapi-fetch. */
export interface CallInit extends CallOptions, Omit<FetchOptions<object>, OfOperation> {}

type OfOperation = keyof CallOptions | 'method' | 'params' | 'body' | 'parseAs';

/** How to read a body that is not JSON. */
export type RawParseAs = Exclude<ParseAs, 'json'>;

/** The data of a response by how it is read. */
export type RawData = { text: string; blob: Blob; arrayBuffer: ArrayBuffer; stream: Response['body'] };

/**
 * The signature that editors read while a call is written: the first one. No call matches it, because none has a third argument, whose type
 * is a literal because TypeScript moves signatures with literals to the front. `Calls` are the options and the result of each path.
 */
export type WhileWriting<Calls extends { [Path in keyof Calls]: { init: unknown; result: unknown } }> = <
  Path extends keyof Calls,
>(
  path: Path,
  init: Calls[Path]['init'],
  overloads: 'follow',
) => Promise<Calls[Path]['result']>;
