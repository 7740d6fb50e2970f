import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ContractDocument, SchemaObject } from '../../tooling/src/contract/document.ts';
import { samplesOf } from '../../tooling/src/docs/samples/languages.ts';
import { keyPlaceholder, sampleRequests, shownServerOf } from '../../tooling/src/docs/samples/request.ts';
import type { SampleRequest } from '../../tooling/src/docs/samples/sample-request.ts';
import { project, root } from '../../tooling/src/project.ts';
import { bytes, startContractHost, streamedItems } from '../../tooling/test/samples/contract-host.ts';
import { printed } from '../../tooling/test/samples/expected.ts';
import { type Outcome, partnersFolder, runnableLanguages, runSamples } from '../../tooling/test/samples/programs.ts';
import { secondContract } from '../../tooling/test/second-contract-fixture.ts';

const contract = withForms(secondContract());
const baseUrl = shownServerOf(contract);
/** A file that differs from the received one. */
const sentBytes = Buffer.from(bytes).reverse();
const samples = samplesOf(contract);
/** The project's client for this contract. */
const client = mkdtempSync(join(tmpdir(), 'client-'));
let host: Awaited<ReturnType<typeof startContractHost>>;

beforeAll(async () => {
  writeFileSync(join(client, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(
    join(client, 'index.js'),
    `import { createClient } from '${join(root, 'packages/client-core/src/index.ts')}';
import { withForm } from '${join(root, 'packages/client-core/src/form.ts')}';
const facts = ${JSON.stringify(clientFacts())};
export const ${project.createClient} = (options) => createClient({ ...facts, withForm }, options);
`,
  );
  host = await startContractHost(contract);
});
afterAll(async () => {
  await host.stop();
  rmSync(client, { recursive: true });
});

const authorization = 'Bearer my_test_key';
const contentType = 'application/json';
const note =
  '{"kind":"text","title":"Heron","text":"Seen at dawn.","weight":0.5,"seenOn":"2026-11-22","observer":null}';

/** The request that each sample must send, in every language. */
const sent: Record<string, object> = {
  listNotes: { line: 'GET /notes?limit=20&tag=bird&minWeight=0.5', authorization, region: 'north', depth: '1' },
  createNote: { line: 'POST /notes', authorization, contentType, body: note },
  getNote: { line: 'GET /notes/1', authorization },
  replaceNote: { line: 'PUT /notes/1', authorization, contentType, body: note },
  updateNote: {
    line: 'PATCH /notes/1?notebook=birds',
    authorization,
    ifMatch: '*',
    contentType: 'application/merge-patch+json',
    body: '{"title":"Grey heron","observer":null}',
  },
  deleteNote: { line: 'DELETE /notes/1', authorization },
  getPhoto: { line: 'GET /notes/1/photo', authorization },
  setPhoto: { line: 'PUT /notes/1/photo', authorization, contentType: 'image/png', body: sentBytes.toString('latin1') },
  setText: { line: 'PUT /notes/1/text', authorization, contentType: 'text/plain', body: 'Seen at dusk.' },
  checkArchive: {
    line: 'POST /archives',
    authorization,
    contentType: 'application/octet-stream',
    body: sentBytes.toString('latin1'),
  },
  exportNotes: { line: 'GET /export?count=1', authorization, accept: 'application/x-ndjson' },
  watchNotes: { line: 'GET /events', authorization },
  getAbout: { line: 'GET /about' },
  getTitle: { line: 'GET /notes/1/title', authorization },
  exportTable: { line: 'GET /export.csv', authorization },
  addLabel: {
    line: 'POST /labels',
    authorization,
    contentType: 'application/x-www-form-urlencoded',
    body: 'name=Grey+heron+%26+chick&size=2',
  },
  addPicture: {
    line: 'POST /pictures',
    authorization,
    form: { title: '@Heron; "grey" #{1}', picture: ['picture.png', 'image/png', sentBytes.toString('latin1')] },
  },
};

/** The contract with an operation for each kind of form. */
function withForms(contract: ContractDocument): ContractDocument {
  const add = (operationId: string, type: string, properties: Record<string, SchemaObject>, example: object) => ({
    post: {
      operationId,
      tags: ['Notes'],
      summary: 'Add one.',
      requestBody: { required: true, content: { [type]: { schema: { type: 'object', properties }, example } } },
      responses: { 204: { description: 'Added' } },
    },
  });
  const text = { type: 'string' };
  const picture = { type: 'string', contentMediaType: 'image/png' };
  const paths = {
    ...contract.paths,
    '/labels': add(
      'addLabel',
      'application/x-www-form-urlencoded',
      { name: text, size: { type: 'integer' } },
      { name: 'Grey heron & chick', size: 2 },
    ),
    '/pictures': add(
      'addPicture',
      'multipart/form-data',
      { title: text, picture },
      { title: '@Heron; "grey" #{1}', picture: '' },
    ),
  };
  return { ...contract, paths };
}

describe.each(runnableLanguages())('in %s', (language) => {
  const partner = partnersFolder(client);
  /** Samples that send a file come first, because another one saves its response under the same name. */
  const requests = sampleRequests(contract)
    .filter(({ id }) => sampleOf(id) !== undefined)
    .sort((a, b) => sentFiles(b).length - sentFiles(a).length);
  const received: (typeof host.received)[number][] = [];
  const outcomes = new Map<string, Outcome>();

  beforeAll(async () => {
    for (const name of requests.flatMap(sentFiles)) writeFileSync(join(partner.folder, name), sentBytes);
    const runs = requests.map(({ id }) => {
      const source = sampleOf(id) ?? '';
      return { id, source: source.replaceAll(baseUrl, host.url).replaceAll(keyPlaceholder, 'my_test_key') };
    });
    for (const outcome of await runSamples(language, runs, partner.folder)) outcomes.set(outcome.id, outcome);
    received.push(...host.received.splice(0));
  }, 120_000);
  afterAll(() => partner.remove());

  /** Only curl has samples for forms, files and streams. */
  function sampleOf(id: string): string | undefined {
    return samples.get(id)?.find(({ lang }) => lang === language)?.source;
  }

  test('every sample sends the request from the contract', async () => {
    const wanted = requests.map(({ id }) => sent[id] ?? {});
    const found = await Promise.all(received.map((one, index) => essence(one, wanted[index] ?? {})));
    expect(found).toEqual(wanted);
  });

  test.each(requests.map((request) => [request.id, request] as const))('%s prints the response', (id, request) => {
    const outcome = outcomes.get(id);
    expect([outcome?.succeeded, outcome?.output]).toEqual([true, printed(language, request, streamedItems)]);
  });

  test('a binary response is saved', () => {
    if (language !== 'curl') return;
    expect(readFileSync(join(partner.folder, 'photo.png'))).toEqual(bytes);
  });
});

/** The files that a sample sends. */
function sentFiles({ body, form }: SampleRequest): string[] {
  if (body?.sending === 'file') return [body.file];
  return form?.fields.flatMap((field) => ('file' in field ? [field.file] : [])) ?? [];
}

/** The constants of a contract that the client needs. */
function clientFacts(): object {
  const requests = sampleRequests(contract).map(({ method, path, body }) => [`${method} ${path}`, body] as const);
  const others = requests.flatMap(([key, body]) =>
    body === undefined || body.isOneOfSeveral || body.mediaType === 'application/json' ? [] : [[key, body.mediaType]],
  );
  return { name: 'notes', version: '1.0.0', idempotentOperations: [], requestMediaTypes: Object.fromEntries(others) };
}

/** The parts of a request that the test compares; the Accept header only if the contract offers a choice. */
async function essence({ method, url, headers, body }: (typeof host.received)[number], wanted: object) {
  const type = headers['content-type'];
  const isMultipart = type?.startsWith('multipart/form-data') ?? false;
  // The TypeScript client always sends Authorization; a public operation ignores it.
  const found = {
    line: `${method} ${url}`,
    authorization: 'authorization' in wanted ? headers.authorization : undefined,
    ifMatch: headers['if-match'],
    region: headers['x-region'],
    depth: headers['x-depth'],
    accept: 'accept' in wanted ? headers.accept : undefined,
    contentType: isMultipart ? undefined : type?.replace(/; ?charset=utf-8$/i, ''),
    body: isMultipart || body.length === 0 ? undefined : compact(body.toString('latin1')),
    form: isMultipart ? await formOf(body, type ?? '') : undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** The fields of a form, and the name, type and content of its files. */
async function formOf(body: Buffer, type: string): Promise<object> {
  const form = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData();
  const fields = [...form].map(async ([name, value]) => {
    if (typeof value === 'string') return [name, value];
    return [name, [value.name, value.type, Buffer.from(await value.arrayBuffer()).toString('latin1')]];
  });
  return Object.fromEntries(await Promise.all(fields));
}

/** JSON without the spaces that some languages write. */
function compact(body: string): string {
  return body.startsWith('{') ? JSON.stringify(JSON.parse(body)) : body;
}
