/** Errors that a contract documents in forms of its own, such as problem details (RFC 9457) without a code. */
import { isJson } from './headers.ts';
import type { ErrorReader } from './read.ts';
import { plainError } from './unwrap.ts';

/** The errors of an operation by status, range (`4XX`) or `default`: the media types, and the signs of their JSON. */
export type ErrorForms = Readonly<Record<string, ErrorForm>>;
type ErrorForm = { readonly mediaTypes: Readonly<Record<string, MediaType>> };
/** JSON has all of the `required` properties, or else one of the `properties`, or else one of the `types`. */
type MediaType = Readonly<{ kind: string } & { [_ in 'required' | 'properties' | 'types']?: readonly string[] }>;

/** Makes the reader of the errors of operations. Their `code` is that of the body or, if it has none, `documented_error`. */
export function errorReader(operations: ReadonlyMap<string, { readonly errors?: ErrorForms }>): ErrorReader {
  return ({ operation, status, mediaType, body }, problem) => {
    const form = rowOf(operations.get(operation)?.errors, status);
    const isSound = problem === (isJson(mediaType) ? undefined : mediaType);
    if (!isSound || form === undefined || !fits(form, mediaType, body)) return undefined;
    const { error } = Object(body);
    const { code, message = error?.message ?? error, details } = plainError(body);
    return {
      code: typeof code === 'string' ? code : 'documented_error',
      message: typeof message === 'string' ? message : `The API responded with the status ${status}.`,
      ...(Array.isArray(details) && { details }),
      ...(body !== '' && { data: body }),
    };
  };
}

/** Whether an error looks as the contract says: the response of a gateway may have any status. */
function fits({ mediaTypes }: ErrorForm, mediaType: string, body: unknown): boolean {
  const types = Object.entries(mediaTypes);
  if (types.length === 0) return !body;
  return types.some(([type, form]) =>
    isJson(type) ? isJson(mediaType) && hasSigns(form, body) : mediaType.startsWith(type),
  );
}

function hasSigns({ required = [], properties, types }: MediaType, body: unknown): boolean {
  const has = (name: string) => name in Object(body);
  const type = Array.isArray(body) ? 'array' : typeof body;
  return required.every(has) && (properties?.some(has) ?? types?.includes(type) ?? true);
}

/** What a table by status has for a status: the row of the status itself or, for an error, that of its range or `default`. */
export function rowOf<Row>(table: Readonly<Record<string, Row>> = {}, status: number): Row | undefined {
  const names = [status, ...(status < 400 ? [] : [`${Math.floor(status / 100)}XX`, 'default'])];
  return names.map((name) => table[name]).find((row) => row !== undefined);
}
