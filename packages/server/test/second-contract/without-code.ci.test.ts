import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OperationFacts } from '../../../service/src/common/facts.ts';
import type { AnyOperations } from '../../../service/src/openapi/operation.ts';
import { type ContractDocument, operationsOf } from '../../../tooling/src/contract/document.ts';
import { secondContract, textNote } from '../../../tooling/test/second-contract-fixture.ts';
import { api as notes } from './operations.ts';
import { startService } from './start.ts';

type Service = Awaited<ReturnType<typeof startService>>;

const note = { id: 1, ...textNote };
const json = { 'content-type': 'application/json' };
const noteAsJson = { method: 'POST', headers: json, body: JSON.stringify(textNote) };

const facts: Readonly<Record<string, OperationFacts>> = notes.contract.operations;

/** The second contract with the code not_implemented, which each operation documents. */
const contract = {
  ...notes.contract,
  errorStatus: { ...notes.contract.errorStatus, not_implemented: 501 },
  operations: Object.fromEntries(
    Object.entries(facts).map(([id, { errorCodes, ...rest }]) => [
      id,
      { ...rest, errorCodes: { ...errorCodes, 501: ['not_implemented'] } },
    ]),
  ),
};

type Parts = { operations?: AnyOperations; edit?: (document: ContractDocument) => void; mode?: string };

/** Starts a service whose operations have no code but that of `operations`. */
function start({ operations = {}, edit, mode = 'test' }: Parts = {}): Promise<Service> {
  const document = secondContract();
  document.components.schemas.ErrorCode.enum.push('not_implemented');
  for (const { operation } of operationsOf(document)) {
    operation.responses['501'] = { $ref: '#/components/responses/InternalServerError' };
  }
  edit?.(document);
  const service = { ...notes, contract: { ...contract, json: JSON.stringify(document) }, operations };
  return startService(service, 'sqlite::memory:', { API_MODE: mode });
}

/** Removes the examples of the body of a response. */
function removeExamples(document: ContractDocument, id: string): void {
  const { responses = [] } = operationsOf(document).find(({ operation }) => operation.operationId === id) ?? {};
  const { content = {} } = responses.find(({ status }) => status === '200') ?? {};
  for (const media of Object.values(content)) delete media.examples;
}

async function ask({ origin, secret }: Service, path: string, { headers = {}, ...init }: RequestInit = {}) {
  const authorization = `Bearer ${secret}`;
  const response = await fetch(`${origin}/v1${path}`, { ...init, headers: { authorization, ...headers } });
  const isExample = response.headers.get('x-example-response') === 'true';
  return { status: response.status, headers: response.headers, isExample, text: await response.text() };
}

describe('in test mode, an operation without code', () => {
  let service: Service;
  beforeAll(async () => {
    service = await start();
  });
  afterAll(async () => service[Symbol.asyncDispose]());

  test.each<[what: string, path: string, init: RequestInit, status: number, type: string | null, text: string]>([
    ['a list', '/notes', {}, 200, 'application/json', JSON.stringify([note])],
    ['a new resource', '/notes', noteAsJson, 201, 'application/json', JSON.stringify(note)],
    ['no body', '/notes/1', { method: 'DELETE' }, 204, null, ''],
    ['text', '/notes/1/title', {}, 200, 'text/plain; charset=utf-8', 'Käthe 1'],
    ['bytes', '/notes/1/photo', {}, 200, 'image/png', 'The bytes of a PNG file.'],
    ['lines', '/export', {}, 200, 'application/x-ndjson', `${JSON.stringify(note)}\n`],
    [
      'the accepted type',
      '/export',
      { headers: { accept: 'text/csv' } },
      200,
      'text/csv; charset=utf-8',
      'id,title\n1,Heron\n',
    ],
    ['events', '/events', {}, 200, 'text/event-stream', `data: ${JSON.stringify(note)}\n\n`],
    [
      'the response to a stream',
      '/archives',
      { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: new Uint8Array(1_000_000) },
      200,
      'application/json',
      JSON.stringify({ bytes: 24, sha256: 'a'.repeat(64) }),
    ],
  ])('responds with the example of the contract: %s', async (_what, path, init, status, type, text) => {
    const response = await ask(service, path, init);
    expect(response).toMatchObject({ status, isExample: true, text });
    expect(response.headers.get('content-type')).toBe(type);
  });

  test('has the required headers of the contract, and answers HEAD and If-None-Match', async () => {
    const created = await ask(service, '/notes', noteAsJson);
    expect(created.headers.get('location')).toMatch(/^http/);
    const list = await ask(service, '/notes');
    const unchanged = { headers: { 'if-none-match': list.headers.get('etag') ?? '' } };
    expect(await ask(service, '/notes', unchanged)).toMatchObject({ status: 304, isExample: true });
    expect(await ask(service, '/notes', { method: 'HEAD' })).toMatchObject({ status: 200, isExample: true, text: '' });
    const about = await fetch(`${service.origin}/v1/about`);
    expect([about.status, about.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
  });

  test('authenticates, counts and validates its requests', async () => {
    const remaining = async () => Number((await ask(service, '/notes')).headers.get('x-ratelimit-remaining'));
    const before = await remaining();
    expect(await remaining()).toBe(before - 1);
    const anonymous = { headers: { authorization: '' } };
    expect(await ask(service, '/notes', anonymous)).toMatchObject({ status: 401, isExample: false });
    expect(await ask(service, '/notes?limit=x')).toMatchObject({ status: 400, isExample: false });
    expect(await ask(service, '/notes', { ...noteAsJson, body: '{}' })).toMatchObject({
      status: 400,
      isExample: false,
    });
  });
});

test('without an example of its body, an operation without code responds with 501, which says what to add', async () => {
  await using service = await start({ edit: (document) => removeExamples(document, 'listNotes') });
  const { status, isExample, text } = await ask(service, '/notes');
  expect([status, isExample, JSON.parse(text)]).toEqual([
    501,
    false,
    expect.objectContaining({
      code: 'not_implemented',
      message: 'listNotes has no code yet; write it, or add an example of its response to the contract.',
    }),
  ]);
});

test('an example in the schema counts, and one that the contract does not allow is a 501 that says so', async () => {
  const withExample = (example: object) =>
    start({
      edit: (document) => {
        removeExamples(document, 'getAbout');
        Object.assign(document.components.schemas['About'] ?? {}, { example });
      },
    });
  await using good = await withExample({ name: 'Notes' });
  expect(await ask(good, '/about')).toMatchObject({ status: 200, isExample: true, text: '{"name":"Notes"}' });
  await using bad = await withExample({ name: 1 });
  expect(await ask(bad, '/about')).toMatchObject({
    status: 501,
    isExample: false,
    text: expect.stringContaining('no valid example. The response 200 of getAbout is'),
  });
});

test('in live mode, an operation without code responds with 501', async () => {
  await using service = await start({ mode: 'live' });
  for (const init of [{}, noteAsJson]) {
    const { status, isExample, text } = await ask(service, '/notes', init);
    expect([status, isExample, JSON.parse(text)]).toEqual([
      501,
      false,
      expect.objectContaining({
        code: 'not_implemented',
        message: expect.stringMatching(
          /Notes? has no code yet; call it on a test server, which responds with an example\.$/,
        ),
      }),
    ]);
  }
  expect(await ask(service, '/notes?limit=x')).toMatchObject({ status: 400 });
});
