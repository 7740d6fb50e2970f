import { STATUS_CODES } from 'node:http';
import { dig, entriesOf, listOf } from '../common/json.ts';
import { errorBody, errorsIn, errorTypeOf, hasProblems } from '../contract/error-form.ts';
import { operationsIn } from '../contract/parse.ts';
import { countingTraits, type OperationTraits, serverResponses } from '../contract/server-responses.ts';
import { defaults } from './defaults.ts';
import { type Draft, isObject, type JsonObject, objectIn } from './draft.ts';
import { addHeaders, referTo } from './headers.ts';
import { camelCase, freeName } from './names.ts';
import { renameSchema } from './schemas.ts';
import { hasSchemes } from './security.ts';

/** Statuses that the server itself explains, so an operation needs no code of its own. */
const explained = new Set(['400', '401', '408', '413', '415', '429', '431', '500', '503']);

/** Adds the schemas of errors, and the table of their codes. */
export function addErrorSchemas(draft: Draft): void {
  const schemas = objectIn(draft.components, 'schemas');
  if (draft.isOurs) {
    addServerCodes(draft);
    return;
  }
  const { Error: plain, Problem: problem, ...others } = structuredClone(defaults.schemas);
  const isProblem = documentsProblems(draft);
  for (const name of ['Error', 'ErrorDetail', 'ErrorCode']) renameSchema(draft, name);
  const codes = Object.entries(rowsOf(draft));
  const errorCode: JsonObject = {
    type: 'string',
    description: 'Error code, for programs. A release may add codes, but never removes or reuses one.',
    enum: codes.map(([code]) => code),
    example: 'invalid_request',
    // The texts name the member with the message.
    'x-codes': isProblem
      ? JSON.parse(JSON.stringify(Object.fromEntries(codes)).replaceAll('`message`', '`detail`'))
      : Object.fromEntries(codes),
  };
  Object.assign(schemas, others, { Error: isProblem ? problem : plain, ErrorCode: errorCode });
  draft.note(
    isProblem
      ? 'Every error is a problem (RFC 9457), as in most responses of the contract, with a code, and details about an invalid request.'
      : 'Every error is JSON with code, message and status, and details about an invalid request.',
  );
}

const problemType = 'application/problem+json';

/** Adds the codes of the server to those of a contract that was written for the service. */
function addServerCodes(draft: Draft): void {
  const errorCode = errorCodeOf(draft);
  const own = objectIn(errorCode, 'x-codes');
  const added = rowsOf(draft);
  if (Object.keys(added).every((code) => code in own)) return;
  const all = Object.entries({ ...added, ...own });
  const byStatus = all.sort(([, one], [, other]) => Number(dig(one, 'status')) - Number(dig(other, 'status')));
  errorCode['x-codes'] = Object.fromEntries(byStatus);
  errorCode['enum'] = byStatus.map(([code]) => code);
}

/** The codes that the server sends for this contract. */
function rowsOf(draft: Draft): JsonObject {
  const unsent = unsentCodes(draft);
  const rows = Object.entries(defaults.codes).filter(
    ([code]) => !unsent.includes(code) && !(draft.isOurs && code === 'not_implemented'),
  );
  return Object.fromEntries(rows.map(([code, { status, cause, action }]) => [code, { status, cause, action }]));
}

/** Whether at least half of the errors that the contract documents with a body are problems. */
function documentsProblems(draft: Draft): boolean {
  const errors = operationsIn(draft.document)
    .filter(({ section }) => section === 'paths')
    .flatMap(({ operation }) => entriesOf(dig(operation, 'responses')))
    .filter(([status]) => /^([45]\d\d|[45]XX|default)$/i.test(status))
    .map(([, response]) => entriesOf(dig(draft.resolve(response), 'content')).map(([type]) => type))
    .filter((types) => types.length > 0);
  const problems = errors.filter((types) => types.includes(problemType));
  return problems.length > 0 && problems.length * 2 >= errors.length;
}

/** The codes of the server that it never sends for this contract, because it has no keys, quotas or bans. */
function unsentCodes(draft: Draft): string[] {
  const hasKeys = hasSchemes(draft);
  const { isCounted, canBan } = countingTraits(draft.limits, hasKeys);
  return [
    ...(hasKeys ? [] : ['api_key_missing', 'api_key_invalid', 'insufficient_scope']),
    ...(isCounted ? [] : ['rate_limited']),
    ...(hasKeys && canBan ? [] : ['key_banned']),
  ];
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
  const isProblem = hasProblems(draft.document) && media.some(([type]) => type === problemType);
  if (isProblem) noteOtherMembers(draft, `${key} ${status}`, dig(found, 'content', problemType, 'schema'));
  else if (media.length > 0)
    draft.note('Errors have the form of the service instead of their own.', `${key} ${status}`);
  if (!/^\d+$/.test(status)) {
    draft.ranges.push({ key, responses, status, isPublic });
    return;
  }
  delete responses[status];
  // The server checks no keys of a public operation, so what it documents about them is its own, like a 429 if nothing is counted.
  const isOwn =
    (status === '401' && isPublic) || (status === '429' && !countingTraits(draft.limits, !isPublic).isCounted);
  if (explained.has(status) && !isOwn) return;
  const { code, cause } = addCode(draft, Number(status));
  responses[status] = { $ref: errorResponse(draft, status, [code], isPublic, givenIn(draft, found, cause)) };
}

/** What stays of a documented error: its description, or another one, and its headers. */
export function givenIn(draft: Draft, response: unknown, otherwise?: string): GivenError {
  const headers = entriesOf(dig(response, 'headers')).map(([name, header]) => [
    name,
    // Whether an error has a header depends on the operation, and never on the server.
    { ...Object(draft.resolve(header)), required: false },
  ]);
  return { description: String(dig(response, 'description') || otherwise), headers: Object.fromEntries(headers) };
}

type GivenError = { description: string; headers: JsonObject };

/** The code that is named after a status, such as `not_found`. It is added to those of the contract. */
export function addCode(draft: Draft, status: number): { code: string; cause: string } {
  const phrase = STATUS_CODES[status] ?? `Status ${status}`;
  const code = phrase.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
  const cause = `${phrase}.`;
  objectIn(errorCodeOf(draft), 'x-codes')[code] ??= { status, cause, action: 'See the description of the operation.' };
  return { code, cause };
}

/** Reports the members of a problem that the service does not send. */
function noteOtherMembers(draft: Draft, response: string, schema: unknown): void {
  const known = dig(draft.components, 'schemas', 'Error', 'properties');
  const members = [...membersOf(draft, schema)].filter((name) => dig(known, name) === undefined && name !== 'instance');
  if (members.length === 0) return;
  draft.note(
    `Problems have type, title, status, detail, code and details. Other members are left out: ${members.join(', ')}.`,
    response,
  );
}

/** The properties of a schema, of what it refers to, and of its parts. */
function membersOf(draft: Draft, schema: unknown, followed: ReadonlySet<unknown> = new Set()): Set<string> {
  const found = draft.resolve(schema);
  if (followed.has(found)) return new Set();
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listOf(dig(found, keyword)));
  const inner = parts.flatMap((part) => [...membersOf(draft, part, new Set([...followed, found]))]);
  return new Set([...entriesOf(dig(found, 'properties')).map(([name]) => name), ...inner]);
}

/** Adds the responses of the server that the operation does not document. */
export function addServerResponses(draft: Draft, key: string, responses: JsonObject, traits: OperationTraits): void {
  const codes = new Map<string, string[]>();
  for (const [status, sent, isSent] of serverResponses) {
    if (isSent(traits)) codes.set(status, [...(codes.get(status) ?? []), ...sent]);
  }
  if (dig(draft.components, 'schemas', 'ErrorCode', 'x-codes', 'not_implemented') !== undefined) {
    codes.set('501', ['not_implemented']);
  }
  for (const [status, sent] of codes) {
    const known = codesIn(draft, responses[status]);
    if (known.length === 0 && responses[status] !== undefined) continue;
    if (sent.every((code) => known.includes(code))) continue;
    // A response that the contract itself wrote stays, and gets the codes of the server for errors that any operation may have.
    if (known.length > 0 && !draft.isAdded(responses[status])) {
      const lacking = sent.filter((code) => !known.includes(code));
      if (draft.isOurs) addExamples(draft, responses[status], lacking);
      continue;
    }
    const all = [...new Set([...sent, ...known])];
    const found = draft.resolve(responses[status]);
    const given = found === undefined ? undefined : givenIn(draft, found);
    responses[status] = { $ref: errorResponse(draft, status, all, !traits.needsKey, given) };
    draft.note(
      `Errors of the server are added: ${[...codes.keys()].filter((one) => explained.has(one)).join(', ')}.`,
      key,
    );
  }
}

/** Adds errors of the server to a response of the contract. */
function addExamples(draft: Draft, response: unknown, codes: readonly string[]): void {
  const found = draft.resolve(response);
  const examples = dig(found, 'content', errorTypeOf(draft.document), 'examples');
  if (!isObject(found) || !isObject(examples)) return;
  for (const code of codes) {
    const { status = 500, cause = '', message = cause } = defaults.codes[code] ?? {};
    examples[exampleName(code)] = { summary: cause, value: errorBody(draft.document, code, message, status) };
    if (code !== 'idempotency_key_in_use') continue;
    const retryAfter = { ...defaults.headers['Retry-After'], required: false, example: 1 };
    objectIn(found, 'headers')['Retry-After'] ??= retryAfter;
  }
}

function exampleName(code: string): string {
  return defaults.codes[code]?.example ?? camelCase(code);
}

function codesIn(draft: Draft, response: unknown): string[] {
  return errorsIn(dig(draft.resolve(response), 'content')).map(({ code }) => code);
}

/** The reference to the response with these codes. */
export function errorResponse(
  draft: Draft,
  status: string,
  codes: readonly string[],
  isPublic: boolean,
  given?: GivenError,
): string {
  const identity = JSON.stringify([status, codes, isPublic, given]);
  const known = draft.errorResponses.get(identity);
  if (known !== undefined) return known;
  const all = objectIn(draft.components, 'responses');
  const base = (STATUS_CODES[status] ?? `Status${status}`).replaceAll(/[^A-Za-z0-9]+/g, '');
  const name = freeName(base, (choice) => choice in all);
  const rows = dig(draft.components, 'schemas', 'ErrorCode', 'x-codes');
  // A range has several errors, which one description does not fit.
  const isExact = /^\d+$/.test(status);
  const examples = codes.map((code) => {
    const cause = (isExact ? given?.description : undefined) ?? String(dig(rows, code, 'cause'));
    const message = isExact && given !== undefined ? cause : (defaults.codes[code]?.message ?? cause);
    const value = errorBody(draft.document, code, message, Number(dig(rows, code, 'status')));
    return [exampleName(code), { summary: cause, value }];
  });
  const response: JsonObject = {
    description: given?.description ?? String(dig(rows, codes[0] ?? '', 'cause')),
    headers: structuredClone(given?.headers ?? {}),
    content: {
      [errorTypeOf(draft.document)]: {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
  };
  addHeaders(draft, response, status, isPublic);
  if (codes.includes('idempotency_key_in_use')) referTo(draft, 'Retry-After', objectIn(response, 'headers'));
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
