/** The docs of a contract that was written elsewhere: what it says and what the server does, and nothing in the name of its team. */
import { expect, test } from '@jest/globals';
import type { ContractDocument } from '../contract/document.ts';
import { effectiveContract } from '../effective/effective.ts';
import { firstCall } from './home.ts';
import { operationDocuments } from './operations/documented.ts';
import { operationMarkdown } from './operations/markdown.ts';
import { samplesOf } from './samples/languages.ts';
import { errorFiles } from './site.ts';

const text = { type: 'string' };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const refusal = { type: 'object', required: ['code'], properties: { code: { enum: ['sunk'] }, reason: text } };
const query = (name: string, more: object = {}) => ({ name, in: 'query', schema: text, ...more });
const listShips = {
  operationId: 'listShips',
  parameters: [
    query('harbour', { required: true }),
    query('size'),
    query('sort', { example: 'name' }),
    query('flag', { schema: { ...text, example: 'Spain' } }),
    { name: 'X-Trace', in: 'header', schema: text },
  ],
  responses: {
    200: { description: 'Ships.', ...json({ type: 'array', items: text }) },
    404: { description: 'No such harbour.', ...json(refusal) },
    409: { description: 'It is closed.', ...json(refusal) },
  },
};
const createShip = {
  parameters: [{ name: 'Idempotency-Key', in: 'header', schema: text }],
  requestBody: json({ type: 'object' }),
  responses: { 201: { description: 'A ship.' } },
};

function contractOf(operations: object): ContractDocument {
  const securitySchemes = { bearer: { type: 'http', scheme: 'bearer' } };
  const given = {
    ...{ openapi: '3.1.0', info: { title: 'Ships', version: '1' }, security: [{ bearer: [] }] },
    ...{ paths: { '/ships': operations }, components: { securitySchemes } },
  };
  return effectiveContract(JSON.parse(JSON.stringify(given)), 'ships').document;
}

const contract = contractOf({ get: listShips });
const [operation] = operationDocuments(contract);
const page = operation === undefined ? '' : operationMarkdown(contract, operation);
const errorsOf = (document: ContractDocument) => String(errorFiles(document).at(-1)?.content);

test('samples send what is required, and what has an example of its own', () => {
  const { source = '' } = operation?.samples.find(({ lang }) => lang === 'curl') ?? {};
  expect(source).toContain('/ships?harbour=text&sort=name&flag=Spain\' \\\n  -H "Authorization');
  expect(source).not.toContain('X-Trace');
  expect(firstCall(contract, { operation: 'listShips', query: '' })).toContain(source.slice(source.indexOf("'http")));
  expect(firstCall(contract, { operation: 'listShips', query: 'harbour=north' })).toContain("/ships?harbour=north' ");
});

test('a sample saves no response in the file that it sends', () => {
  const file = { content: { 'application/octet-stream': {} } };
  const convert = { operationId: 'convert', requestBody: file, responses: { 200: { description: 'Bytes.', ...file } } };
  const [{ source = '' } = {}] = samplesOf(contractOf({ post: convert })).get('convert') ?? [];
  expect(source).toMatch(/ --output response-ships\.octet [\s\S]* --data-binary @ships\.octet\n/);
});

test('a home page without an example of a response shows none', () => {
  const empty = contractOf({ get: { operationId: 'ping', responses: { 204: { description: 'Fine.' } } } });
  expect(firstCall(empty, { operation: 'ping', query: '' })).not.toMatch(/undefined|The response/);
});

test('the page of an operation says which credentials it needs, and describes the errors of the contract', () => {
  expect(page).toContain('Requires `Authorization: Bearer <API_KEY>`.');
  expect(page).toContain('| 404 | No such harbour. |');
  expect(page).toMatch(/### Body of 404, 409\n\n`application\/json`\n\n- \*\*`code`\*\*[^#]+`reason`/);
  expect(page).toContain('../errors.md#headers_too_large');
  expect(page).not.toContain('errors.md#sunk');
});

test('the page of errors has the codes that the server sends for the contract, and claims no more', () => {
  const errors = errorsOf(contract);
  expect(errors).toContain('The page of each operation describes the others.');
  const rows = (markdown: string) => [...markdown.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
  expect(rows(errors)).toEqual([
    ...['invalid_request', 'malformed_http', 'api_key_missing', 'api_key_invalid', 'route_not_found'],
    ...['method_not_allowed', 'request_timeout', 'headers_too_large', 'internal_error', 'service_unavailable'],
    'not_implemented',
  ]);
  const more = errorsOf(contractOf({ post: createShip }));
  expect(more).toContain('Every error response has one of these codes.');
  expect(rows(more)).toEqual(expect.arrayContaining(['idempotency_key_in_use', 'body_too_large', 'invalid_json']));
  expect(rows(more)).not.toContain('precondition_failed');
});
