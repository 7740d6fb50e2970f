import { STATUS_CODES } from 'node:http';
import { dig, entriesOf } from '../common/json.ts';
import { errorBody, errorsIn, errorTypeOf, isErrorStatus } from '../contract/error-form.ts';
import { operationsIn } from '../contract/parse.ts';
import { serverCodesOf } from '../contract/server-responses.ts';
import { completeContent } from './bodies.ts';
import { defaults } from './defaults.ts';
import { type Draft, isObject, type JsonObject, objectIn } from './draft.ts';
import { addHeaders, referTo } from './headers.ts';
import { camelCase, freeName } from './names.ts';
import { renameSchema } from './schemas.ts';

/** Adds the schemas of errors, and the table of their codes. */
export function addErrorSchemas(draft: Draft): void {
  const { Error: plain, Problem: problem, ...others } = structuredClone(defaults.schemas);
  const isProblem = documentsProblems(draft);
  for (const name of ['Error', 'ErrorDetail', 'ErrorCode']) renameSchema(draft, name);
  findUsualErrors(draft);
  const codes = Object.entries(addedCodes(draft, {}));
  const errorCode: JsonObject = {
    type: 'string',
    description: 'Error code, for programs.',
    enum: codes.map(([code]) => code),
    example: 'invalid_request',
    // The texts name the member with the message.
    'x-codes': isProblem
      ? JSON.parse(JSON.stringify(Object.fromEntries(codes)).replaceAll('`message`', '`detail`'))
      : Object.fromEntries(codes),
  };
  Object.assign(objectIn(draft.components, 'schemas'), others, {
    Error: isProblem ? problem : plain,
    ErrorCode: errorCode,
  });
  draft.note(
    isProblem
      ? 'The errors of the server are problems (RFC 9457), as in most responses of the contract, with a code.'
      : 'The errors of the server are JSON with code, message and status.',
  );
}

const problemType = 'application/problem+json';

/** Adds the codes of the server to those of a contract that was written for the service. */
export function addServerCodes(draft: Draft): void {
  const errorCode = objectIn(objectIn(draft.components, 'schemas'), 'ErrorCode');
  const own = objectIn(errorCode, 'x-codes');
  const added = addedCodes(draft, own);
  if (Object.keys(added).every((code) => code in own)) return;
  const all = Object.entries({ ...added, ...own });
  const byStatus = all.sort(([, one], [, other]) => Number(dig(one, 'status')) - Number(dig(other, 'status')));
  errorCode['x-codes'] = Object.fromEntries(byStatus);
  errorCode['enum'] = byStatus.map(([code]) => code);
}

/** The codes of the server that a contract may lack. */
function addedCodes(draft: Draft, own: object): JsonObject {
  const rows = Object.entries(defaults.codes).filter(([code]) => !(draft.isOurs && code === 'not_implemented'));
  for (const [code] of rows) if (!(code in own)) draft.unsentCodes.add(code);
  return Object.fromEntries(rows.map(([code, { status, cause, action }]) => [code, { status, cause, action }]));
}

/** Whether at least half of the errors that the contract documents with a body are problems. */
function documentsProblems(draft: Draft): boolean {
  const errors = errorBodiesIn(draft);
  const problems = errors.filter(([, content]) => problemType in Object(content));
  return problems.length > 0 && problems.length * 2 >= errors.length;
}

/** The content of all errors that the contract documents with a body, by their status. */
function errorBodiesIn(draft: Draft): [status: string, content: unknown][] {
  return operationsIn(draft.document)
    .filter(({ section }) => section === 'paths')
    .flatMap(({ operation }) => entriesOf(dig(operation, 'responses')))
    .filter(([status]) => /^([45]\d\d|[45]XX|default)$/i.test(status))
    .map(([status, response]): [string, unknown] => [status, dig(draft.resolve(response), 'content')])
    .filter(([, content]) => entriesOf(content).length > 0);
}

/** Finds the body that most operations document for an error status. The server has it in the other operations as well. */
function findUsualErrors(draft: Draft): void {
  const bodies = errorBodiesIn(draft).map(([status, content]) => {
    const schemas = entriesOf(content).map(([type, media]) => [type, { schema: dig(media, 'schema') }]);
    return { status, text: JSON.stringify(Object.fromEntries(schemas)) };
  });
  const counts = [...Map.groupBy(bodies, ({ status, text }) => `${status} ${text}`).values()];
  // The most frequent last: it stays.
  for (const [first] of counts.sort((one, other) => one.length - other.length))
    if (first !== undefined) draft.usualErrors.set(first.status, first.text);
}

/** Leaves out the codes that were added, and that the server never sends for this contract. */
export function leaveOutUnsentCodes(draft: Draft): void {
  const errorCode = objectIn(objectIn(draft.components, 'schemas'), 'ErrorCode');
  const withoutOperation = { operation: {}, parameters: [], body: undefined, successes: [] };
  const sent = [...serverCodesOf(draft.document, withoutOperation).values()].flat();
  for (const code of [...sent, 'malformed_http', 'request_timeout', 'route_not_found', 'method_not_allowed'])
    draft.unsentCodes.delete(code);
  const rows = objectIn(errorCode, 'x-codes');
  for (const code of draft.unsentCodes) delete rows[code];
  if (draft.unsentCodes.size > 0) errorCode['enum'] = Object.keys(rows);
}

/**
 * Keeps the documented errors of an operation, and adds those that the server itself sends.
 *
 * @param codes those of the server, by status
 */
export function completeErrors(
  draft: Draft,
  key: string,
  responses: JsonObject,
  codes: ReadonlyMap<string, string[]>,
  isPublic: boolean,
): void {
  for (const code of [...codes.values()].flat()) draft.unsentCodes.delete(code);
  for (const [status, response] of Object.entries(responses).filter(([one]) => isErrorStatus(one))) {
    const found = draft.resolve(response);
    if (!isObject(found)) continue;
    if (!draft.isOurs) completeOwnError(draft, key, found);
    addHeaders(draft, found, status, isPublic);
    const sent = codes.get(status);
    if (sent === undefined) continue;
    if (draft.isOurs) addExamples(draft, found, sent);
    else if (found['content'] !== undefined) draft.note(ownForm, `${key} ${status}`);
    else responses[status] = { $ref: errorResponse(draft, status, sent, isPublic, found) };
  }
  for (const [status, sent] of codes) {
    if (responses[status] !== undefined) continue;
    const range = draft.resolve(responses[`${status.charAt(0)}XX`] ?? responses['default']);
    const usual = draft.usualErrors.get(status);
    const given: JsonObject = usual === undefined ? {} : { content: JSON.parse(usual) };
    if (isObject(range) && range['content'] !== undefined) given['content'] = range['content'];
    else completeContent(draft, key, given, false);
    responses[status] = { $ref: errorResponse(draft, status, sent, isPublic, given) };
  }
}

const ownForm =
  'The server itself sends these errors, too. If its own form does not fit their schemas, errorBody in createService makes bodies that do.';

/** An error of an operation that was written elsewhere. The server never requires its headers, because it sends errors of its own. */
function completeOwnError(draft: Draft, key: string, error: JsonObject): void {
  error['description'] ??= 'The request failed.';
  const headers = entriesOf(error['headers']).map(([name, header]) => [
    name,
    { ...Object(draft.resolve(header)), required: false },
  ]);
  error['headers'] = Object.fromEntries(headers);
  completeContent(draft, key, error, false);
}

/** Adds the errors of the server that a response of the contract does not have. */
function addExamples(draft: Draft, response: JsonObject, sent: readonly string[]): void {
  const content = response['content'];
  const examples = dig(content, errorTypeOf(draft.document), 'examples');
  const known = errorsIn(content).map(({ code }) => code);
  if (!isObject(examples) || known.length === 0) return;
  for (const code of sent.filter((one) => !known.includes(one))) {
    const { status = 500, cause = '', message = cause } = defaults.codes[code] ?? {};
    examples[exampleName(code)] = { summary: cause, value: errorBody(draft.document, code, message, status) };
    if (code !== 'idempotency_key_in_use') continue;
    const retryAfter = { ...defaults.headers['Retry-After'], required: false, example: 1 };
    objectIn(response, 'headers')['Retry-After'] ??= retryAfter;
  }
}

function exampleName(code: string): string {
  return defaults.codes[code]?.example ?? camelCase(code);
}

/**
 * The reference to a response with these codes.
 *
 * @param given what the contract documents: a description, headers, or the content of its range
 */
function errorResponse(
  draft: Draft,
  status: string,
  codes: readonly string[],
  isPublic: boolean,
  given: JsonObject,
): string {
  const identity = JSON.stringify([status, codes, isPublic, given]);
  const known = draft.errorResponses.get(identity);
  if (known !== undefined) return known;
  const all = objectIn(draft.components, 'responses');
  const name = freeName((STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z0-9]+/g, ''), (choice) => choice in all);
  const rows = dig(draft.components, 'schemas', 'ErrorCode', 'x-codes');
  const examples = codes.map((code) => {
    const cause = String(dig(rows, code, 'cause'));
    const message = defaults.codes[code]?.message ?? cause;
    return [exampleName(code), { summary: cause, value: errorBody(draft.document, code, message, Number(status)) }];
  });
  const schema = { $ref: '#/components/schemas/Error' };
  const response: JsonObject = {
    description: String(dig(rows, codes[0] ?? '', 'cause')),
    headers: {},
    content: { [errorTypeOf(draft.document)]: { schema, examples: Object.fromEntries(examples) } },
    ...structuredClone(given),
  };
  addHeaders(draft, response, status, isPublic);
  if (codes.includes('idempotency_key_in_use')) referTo(draft, 'Retry-After', objectIn(response, 'headers'));
  all[name] = response;
  const reference = `#/components/responses/${name}`;
  draft.errorResponses.set(identity, reference);
  return reference;
}
