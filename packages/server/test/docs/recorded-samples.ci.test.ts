import { contractJson } from '@animal-store/contract/document';
import type { RecordedRequest } from '@contract-first/service/transcript';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { recordingsIn } from '../../../tooling/src/docs/browser/transcript/recording.ts';
import { samplesFor } from '../../../tooling/src/docs/samples/languages.ts';
import { recordedRequest } from '../../../tooling/src/docs/samples/recorded.ts';
import { keyPlaceholder, recordedTemplates } from '../../../tooling/src/docs/samples/request.ts';
import { partnersFolder, runnableLanguages, runSamples } from '../../../tooling/test/samples/programs.ts';
import { newIdempotencyKey, startTestServer, type TestServer } from '../harness.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const templates = recordedTemplates(contract);
const partner = partnersFolder();
/** Characters with a meaning in HTML, in a shell, and in strings and templates of programming languages. */
const hostile = `<img src=x onerror=alert(1)> '"\\ $(id) \`id\` \${id} #{id} {id} %s é 🐶 \\u0041 """`;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { sandboxes: true } });
});
afterAll(async () => {
  await server.stop();
  partner.remove();
});

async function recordedBy(key: string): Promise<RecordedRequest[]> {
  return recordingsIn((await server.call('getTranscript', { key })).body);
}

/** What of a request does not depend on the program that sends it. */
function essence({ operation, request, response }: RecordedRequest) {
  const [path, search] = request.url.split('?');
  const body: unknown = request.body === undefined ? undefined : JSON.parse(request.body);
  return {
    ...{ operation, method: request.method, path, query: [...new URLSearchParams(search)], body },
    ...{ hasKey: 'idempotency-key' in request.headers, status: response.status },
  };
}

test.each(runnableLanguages())(
  'recorded requests, with texts that could be code, are sent again by their samples in %s',
  async (language) => {
    const key = await server.createKey();
    const headers = { 'idempotency-key': newIdempotencyKey() };
    const created = await server.call('createPet', { key, headers, body: { name: hostile, categoryId: 3 } });
    await fetch(`${server.url}/v1/pets?id=1&id=2&limit=2`, { headers: { authorization: `Bearer ${key}` } });
    await server.call('listOrders', { key, query: { cursor: `it's ${hostile}` } });
    await server.call('getPet', { key, path: { petId: created.body.id } });
    const before = await recordedBy(key);
    const runs = before.map((recorded) => {
      const request = recordedRequest(templates, recorded, `${server.url}/v1`);
      const samples = request === undefined ? [] : samplesFor(request);
      const source = samples.find(({ lang }) => lang === language)?.source ?? '';
      expect(source).not.toContain(key);
      // The reader of a transcript has set the variable of the key.
      const start = language === 'curl' ? `export ANIMAL_STORE_KEY=${key}\n` : '';
      return { id: recorded.operation ?? '', source: start + source.replaceAll(keyPlaceholder, key) };
    });
    const outcomes = await runSamples(language, runs, partner.folder);
    const sent = (await recordedBy(key)).slice(before.length);
    expect({ outcomes, sent: sent.map(essence) }).toEqual({
      outcomes: runs.map(({ id }) => ({ id, succeeded: id !== 'listOrders', output: expect.any(String) })),
      sent: before.map(essence),
    });
    expect(sent[0]?.request.headers['idempotency-key']).not.toBe(headers['idempotency-key']);
  },
);

test.each([
  ['a path that cannot be decoded', 'getPet', { method: 'GET', url: '/v1/pets/%E0%A4' }],
  [
    'a body that was not recorded',
    'createPet',
    { method: 'POST', url: '/v1/pets', headers: { 'content-length': '9' } },
  ],
  ['a body that was refused', 'deletePet', { method: 'DELETE', url: '/v1/pets/1', headers: { 'content-length': '2' } }],
  [
    'a body in which a secret was',
    'createPet',
    { method: 'POST', url: '/v1/pets', body: '{"name":"as_test_…","categoryId":3}' },
  ],
  ['another method', 'listPets', { method: 'HEAD', url: '/v1/pets' }],
])('a request with %s has no sample, because another one would be sent', (_, operation, request) => {
  const recorded = { operation, request: { headers: {}, body: undefined, ...request } };
  expect(recordedRequest(templates, recorded, 'http://127.0.0.1:1/v1')).toBeUndefined();
});
