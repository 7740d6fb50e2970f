import { STATUS_CODES } from 'node:http';
import { dig, entriesOf, listOf } from '../common/json.ts';
import { type OperationTraits, serverResponses } from '../contract/server-responses.ts';
import { defaults } from './defaults.ts';
import { type Draft, isObject, type JsonObject, objectIn } from './draft.ts';
import { addHeaders } from './headers.ts';
import { camelCase, freeName } from './names.ts';
import { renameSchema } from './schemas.ts';

/** Statuses that the server itself explains, so an operation needs no code of its own. */
const explained = new Set(['400', '401', '408', '413', '415', '429', '431', '500', '503']);

/** Adds the schemas of errors, and the table of their codes. */
export function addErrorSchemas(draft: Draft): void {
  const schemas = objectIn(draft.components, 'schemas');
  if (draft.isOurs) return;
  for (const name of ['Error', 'ErrorDetail', 'ErrorCode']) renameSchema(draft, name);
  const errorCode: JsonObject = {
    type: 'string',
    description: 'Error code, for programs. A release may add codes, but never removes or reuses one.',
    enum: Object.keys(defaults.codes),
    example: 'invalid_request',
    'x-codes': structuredClone(defaults.codes),
  };
  Object.assign(schemas, structuredClone(defaults.schemas), { ErrorCode: errorCode });
  draft.note('Every error is JSON with code, message and status, and details about an invalid request.');
}

/** Keeps an error of the service, and replaces one in another form. */
export function completeError(
  draft: Draft,
  key: string,
  responses: JsonObject,
  status: string,
  isPublic: boolean,
): void {
  const found = draft.resolve(responses[status]);
  const media = entriesOf(dig(found, 'content'));
  const isOurs = media.some(([, one]) => dig(one, 'schema', '$ref') === '#/components/schemas/Error');
  if (isOurs && isObject(found)) addHeaders(draft, found, status, isPublic);
  if (isOurs) return;
  delete responses[status];
  if (media.length > 0) draft.note('Errors have the form of the service instead of their own.', `${key} ${status}`);
  // The server checks no keys of a public operation, so what it documents about them is its own.
  if (explained.has(status) && !(isPublic && status === '401')) return;
  const phrase = STATUS_CODES[status] ?? `Status ${status}`;
  const code = phrase.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  const rows = objectIn(errorCodeOf(draft), 'x-codes');
  rows[code] ??= { status: Number(status), cause: `${phrase}.`, action: 'See the description of the operation.' };
  const description = String(dig(found, 'description') ?? `${phrase}.`);
  responses[status] = { $ref: errorResponse(draft, status, [code], isPublic, description) };
}

/** Adds the responses of the server that the operation does not document. */
export function addServerResponses(draft: Draft, key: string, responses: JsonObject, traits: OperationTraits): void {
  const codes = new Map<string, string[]>();
  for (const [status, sent, , isSent] of serverResponses) {
    if (isSent(traits)) codes.set(status, [...(codes.get(status) ?? []), ...sent]);
  }
  if (dig(draft.components, 'schemas', 'ErrorCode', 'x-codes', 'not_implemented') !== undefined) {
    codes.set('501', ['not_implemented']);
  }
  for (const [status, sent] of codes) {
    const known = codesIn(draft, responses[status]);
    if (known.length === 0 && responses[status] !== undefined) continue;
    if (sent.every((code) => known.includes(code))) continue;
    // A response that the contract itself wrote stays as it is, and lint says what it lacks.
    if (known.length > 0 && !String(dig(responses[status], '$ref')).includes('/Service')) continue;
    const all = [...new Set([...sent, ...known])];
    const description = dig(draft.resolve(responses[status]), 'description');
    responses[status] = {
      $ref: errorResponse(
        draft,
        status,
        all,
        !traits.needsKey,
        description === undefined ? undefined : String(description),
      ),
    };
    draft.note(
      `Errors of the server are added: ${[...codes.keys()].filter((one) => explained.has(one)).join(', ')}.`,
      key,
    );
  }
}

function codesIn(draft: Draft, response: unknown): string[] {
  return entriesOf(dig(draft.resolve(response), 'content', 'application/json', 'examples')).map(([, example]) =>
    String(dig(example, 'value', 'code')),
  );
}

/** The reference to the response with these codes. */
function errorResponse(
  draft: Draft,
  status: string,
  codes: readonly string[],
  isPublic: boolean,
  given?: string,
): string {
  const identity = JSON.stringify([status, codes, isPublic, given]);
  const known = draft.errorResponses.get(identity);
  if (known !== undefined) return known;
  const all = objectIn(draft.components, 'responses');
  const base = `Service${(STATUS_CODES[status] ?? status).replaceAll(/[^A-Za-z0-9]+/g, '')}`;
  const name = freeName(base, (choice) => choice in all);
  const rows = dig(draft.components, 'schemas', 'ErrorCode', 'x-codes');
  const examples = codes.map((code) => {
    const message = given ?? String(dig(rows, code, 'cause'));
    return [camelCase(code), { summary: message, value: { code, message, status: Number(status) } }];
  });
  const response: JsonObject = {
    description: given ?? String(dig(rows, codes[0] ?? '', 'cause')),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  };
  addHeaders(draft, response, status, isPublic);
  all[name] = response;
  const reference = `#/components/responses/${name}`;
  draft.errorResponses.set(identity, reference);
  listCodes(draft, codes);
  return reference;
}

function listCodes(draft: Draft, codes: readonly string[]): void {
  const errorCode = errorCodeOf(draft);
  errorCode['enum'] = [...new Set([...listOf(errorCode['enum']), ...codes])].map(String);
}

/** The schema of error codes. */
function errorCodeOf({ components }: Draft): JsonObject {
  return objectIn(objectIn(components, 'schemas'), 'ErrorCode');
}
