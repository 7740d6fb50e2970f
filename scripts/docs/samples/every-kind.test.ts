import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '../../root.ts';
import { everyKind } from '../every-kind-fixture.ts';
import { sampleRequests } from './request.ts';
import { samplesOf } from './samples.ts';
import { bytes, startContractHost } from './testing/contract-host.ts';
import { printed } from './testing/expected.ts';
import { partnersFolder, runnableLanguages, runSample } from './testing/programs.ts';

const contract = everyKind();
const baseUrl = contract.servers[0]?.url ?? '';
const samples = samplesOf(contract);
const languages = runnableLanguages();
/** Our client for this contract. */
const client = mkdtempSync(join(tmpdir(), 'animal-store-client-'));
const partner = partnersFolder(client);
let host: Awaited<ReturnType<typeof startContractHost>>;

beforeAll(async () => {
  writeFileSync(join(client, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(
    join(client, 'index.js'),
    `import { createStore } from '${join(root, 'packages/client/src/animal-store.ts')}';
export const createAnimalStore = (options) => createStore(options, ${JSON.stringify(clientFacts())});
`,
  );
  host = await startContractHost(contract);
});
afterAll(() => {
  host.stop();
  partner.remove();
  rmSync(client, { recursive: true });
});

const authorization = 'Bearer as_test_mine';
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
    line: 'PATCH /notes/1',
    authorization,
    ifMatch: '"v1"',
    contentType: 'application/merge-patch+json',
    body: '{"title":"Grey heron","observer":null}',
  },
  deleteNote: { line: 'DELETE /notes/1', authorization },
  getPhoto: { line: 'GET /notes/1/photo', authorization },
  setPhoto: { line: 'PUT /notes/1/photo', authorization, contentType: 'image/png', body: bytes.toString('latin1') },
  setText: { line: 'PUT /notes/1/text', authorization, contentType: 'text/plain', body: 'Seen at dusk.' },
  checkArchive: {
    line: 'POST /archives',
    authorization,
    contentType: 'application/octet-stream',
    body: bytes.toString('latin1'),
  },
  exportNotes: { line: 'GET /export?count=1', authorization, accept: 'application/x-ndjson' },
  watchNotes: { line: 'GET /events', authorization },
  getAbout: { line: 'GET /about' },
  getTitle: { line: 'GET /notes/1/title', authorization },
  exportTable: { line: 'GET /export.csv', authorization },
};

/** Java starts slowly, so it runs only one sample for each way of sending and reading that differs in its code. */
const runInJava = ['updateNote', 'setPhoto', 'getPhoto', 'setText', 'exportTable'];

test.each(sampleRequests(contract).map((request) => [request.id, request] as const))(
  'every language sends %s as the contract says, and prints or saves the response',
  async (id, request) => {
    const chosen = (samples.get(id) ?? [])
      .filter(({ lang }) => languages.includes(lang))
      .filter(({ lang }) => lang !== 'java' || runInJava.includes(id));
    expect(chosen.length).toBeGreaterThan(0);
    for (const sample of chosen) {
      const { exitCode, stdout, stderr, folder } = await runSample(sample, {
        id,
        folder: partner.folder,
        baseUrl,
        url: host.url,
        variables: request.needsKey ? { ANIMAL_STORE_KEY: 'as_test_mine', ETAG: '"v1"' } : {},
        file: request.body?.sending === 'file' ? { name: request.body.file, content: bytes } : undefined,
      });
      const [received] = host.received.splice(0);
      expect([sample.lang, exitCode, exitCode === 0 ? stdout : stderr]).toEqual([
        sample.lang,
        0,
        printed(sample.lang, request),
      ]);
      if (request.response.reading === 'file') expect(readFileSync(join(folder, 'photo.png'))).toEqual(bytes);
      expect([sample.lang, received === undefined ? undefined : essence(received, sent[id] ?? {})]).toEqual([
        sample.lang,
        sent[id],
      ]);
    }
  },
  60_000,
);

/** What the client knows about a contract from the generated constants. */
function clientFacts(): object {
  const requests = sampleRequests(contract).map(({ method, path, body }) => [`${method} ${path}`, body] as const);
  const others = requests.flatMap(([key, body]) =>
    body === undefined || body.isOneOfSeveral || body.mediaType === 'application/json' ? [] : [[key, body.mediaType]],
  );
  return { idempotentOperations: [], requestMediaTypes: Object.fromEntries(others) };
}

/** The parts of a request that the test compares; the Accept header only if the contract offers a choice. */
function essence({ method, url, headers, body }: (typeof host.received)[number], wanted: object): object {
  // The TypeScript client always sends Authorization; a public operation ignores it.
  const found = {
    line: `${method} ${url}`,
    authorization: 'authorization' in wanted ? headers.authorization : undefined,
    ifMatch: headers['if-match'],
    region: headers['x-region'],
    depth: headers['x-depth'],
    accept: 'accept' in wanted ? headers.accept : undefined,
    contentType: headers['content-type']?.replace(/; ?charset=utf-8$/i, ''),
    body: body.length === 0 ? undefined : compact(body.toString('latin1')),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** JSON without the spaces that some languages write. */
function compact(body: string): string {
  return body.startsWith('{') ? JSON.stringify(JSON.parse(body)) : body;
}
