import { dig, entriesOf, listOf } from '../common/json.ts';
import { isSafe } from '../contract/document.ts';
import { argumentNames } from '../contract/method-names.ts';
import { serverCodesOf } from '../contract/server-responses.ts';
import { completeContent } from './bodies.ts';
import { type Draft, isObject, type Json, type JsonObject, objectIn } from './draft.ts';
import { completeErrors } from './errors.ts';
import { addHeaders, referTo } from './headers.ts';
import { lifecycleHeadersOf } from './lifecycle.ts';
import { completeTexts, completeWebhookNames } from './names.ts';
import { completeParameters } from './parameters.ts';
import { completeResponses } from './responses.ts';
import { readSecurity } from './security.ts';

/** An operation that is served. `key` is the method and the path, `item` the path item. */
type ServedOperation = { key: string; method: string; path: string; item: JsonObject; operation: JsonObject };

export function completeOperation(draft: Draft, { key, method, path, item, operation }: ServedOperation): void {
  const { asked, needsCredentials } = readSecurity(draft, key, method, operation);
  const isPublic = !needsCredentials;
  completeTexts(draft, key, path, method, operation);
  if (method === 'head') leaveOutBodies(draft, key, operation);
  leaveOutParts(draft, key, operation);
  const { requestBody } = operation;
  if (isSafe(method) && requestBody !== undefined && dig(draft.resolve(requestBody), 'required') !== true) {
    delete operation['requestBody'];
    draft.change('The optional body of a GET, HEAD or OPTIONS is left out: it has no meaning in HTTP.', key);
  }
  for (const holder of [item, operation]) completeParameters(draft, key, holder);
  if (!draft.isOurs && (asked.length === 0 || isSafe(method))) keepAsHeader(draft, key, operation);
  const parameters = [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((part) =>
    draft.resolve(part),
  );
  noteArguments(draft, key, parameters);
  const body = draft.resolve(operation['requestBody']);
  if (isObject(body)) {
    body['description'] ??= 'The body of the request.';
    completeContent(draft, key, body, true);
  }
  const responses = objectIn(operation, 'responses');
  completeResponses(draft, key, responses, { isPublic, lifecycle: lifecycleHeadersOf(operation) });
  const successes = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => draft.resolve(response));
  if (method === 'get') notePages(draft, key, operation, parameters, successes);
  const header = (name: string) => parameters.find((one) => dig(one, 'in') === 'header' && dig(one, 'name') === name);
  if (header('Idempotency-Key') !== undefined) {
    if (isPublic) draft.note(onlyForKnown, key);
    for (const found of successes.filter(isObject)) referTo(draft, 'Idempotency-Replayed', objectIn(found, 'headers'));
  }
  if (header('If-None-Match') !== undefined) addNotModified(draft, responses, successes.filter(isObject));
  const codes = serverCodesOf(draft.document, { operation, parameters, body, successes });
  completeErrors(draft, key, responses, codes, isPublic);
  const media = successes.flatMap((response) => entriesOf(dig(response, 'content')));
  if (isSafe(method) || !media.some(([, one]) => dig(one, 'x-stream') === true)) return;
  operation['x-transaction'] = 'own';
  draft.note('These operations stream, so they begin their transactions themselves (x-transaction: own).', key);
}

const onlyForKnown =
  'The server stores responses only for callers with credentials. For the others, the operation itself reads Idempotency-Key, and the client repeats a call only if the caller passes one.';

/** The server stores responses for callers that it knows. For others, Idempotency-Key is a header as any other: no tool takes it in lower case. */
function keepAsHeader(draft: Draft, key: string, operation: JsonObject): void {
  const given = operation['parameters'];
  if (!Array.isArray(given)) return;
  operation['parameters'] = given.map((one): Json => {
    const found = draft.resolve(one);
    if (!isObject(found) || found['in'] !== 'header' || found['name'] !== 'Idempotency-Key') return one;
    draft.note(
      'The operation itself reads Idempotency-Key: the server stores no response of a read, or of an operation without credentials.',
      key,
    );
    return { ...structuredClone(found), name: 'idempotency-key' };
  });
}

function noteArguments(draft: Draft, key: string, parameters: readonly unknown[]): void {
  for (const [identity, name] of argumentNames(parameters)) {
    if (identity.endsWith(` ${name}`)) continue;
    draft.note(
      'The methods of the client take parameters of one name, and those named body, by another one.',
      `${key}: ${name}`,
    );
  }
}

/** Names of parameters that select a page, in snake_case or camelCase. */
const selectsPage = /^(page|page_?(number|size|token)|per_?page|cursor|offset|skip|limit|after|starting_?after)$/i;

/** The client reads one page of a list whose contract does not say how it continues. */
function notePages(
  draft: Draft,
  key: string,
  operation: JsonObject,
  parameters: readonly unknown[],
  successes: readonly unknown[],
): void {
  const hasPages = parameters.some((one) => dig(one, 'in') === 'query' && selectsPage.test(String(dig(one, 'name'))));
  const headers = successes.flatMap((response) => entriesOf(dig(response, 'headers')));
  const hasLink = headers.some(([name]) => name.toLowerCase() === 'link');
  if (draft.isOurs || operation['x-pagination'] !== undefined || !hasPages || hasLink) return;
  operation['x-pagination'] = false;
  draft.note(
    'These operations take parameters of pages, and the contract does not say how their pages continue. The client reads one page. To have a loop over all, write x-pagination, such as { kind: cursor, parameter: after, items: /data, next: /next }.',
    key,
  );
}

/** An operation that takes If-None-Match answers with an ETag, and with 304 if it is still current. */
function addNotModified(draft: Draft, responses: JsonObject, successes: readonly JsonObject[]): void {
  if (!draft.isOurs) return;
  const shared = objectIn(draft.components, 'responses');
  const response: JsonObject = { description: 'The response that you have stored is still current.' };
  for (const found of [...successes, response]) {
    for (const name of ['Cache-Control', 'ETag']) referTo(draft, name, objectIn(found, 'headers'));
  }
  if (shared['NotModified'] === undefined) {
    addHeaders(draft, response, '304', false);
    shared['NotModified'] = response;
  }
  responses['304'] ??= { $ref: '#/components/responses/NotModified' };
}

/** The response to HEAD has no body. A response that other operations share is copied. */
function leaveOutBodies(draft: Draft, key: string, operation: JsonObject): void {
  const responses = objectIn(operation, 'responses');
  for (const [status, given] of Object.entries(responses)) {
    const found = draft.resolve(given);
    if (/^[45]/.test(status) || !isObject(found) || found['content'] === undefined) continue;
    const { content: _, ...others } = structuredClone(found);
    responses[status] = others;
    draft.change('Bodies of responses to HEAD are left out: HTTP has none.', key);
  }
}

function leaveOutParts(draft: Draft, key: string, operation: JsonObject): void {
  for (const part of ['callbacks', 'servers'].filter((name) => name in operation)) {
    delete operation[part];
    draft.change(
      `${part} of operations are left out: the server sends no requests, and serves all operations at one address.`,
      key,
    );
  }
}

/** A request that the API sends to its partners: it is documented, and not served. */
export function completeWebhook(draft: Draft, key: string, name: string, operation: JsonObject): void {
  completeWebhookNames(draft, name, operation);
  const body = draft.resolve(operation['requestBody']);
  if (!isObject(body)) return;
  completeContent(draft, key, body, true);
  const { content } = body;
  const json = dig(content, 'application/json');
  if (draft.isOurs || !isObject(json) || entriesOf(content).length === 1) return;
  body['content'] = { 'application/json': json };
  draft.note('A delivery has a JSON body: other media types of webhooks are left out.', key);
}
