import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { classNameOf } from '../../../tooling/src/docs/samples/java.ts';
import { type SampleLanguage, samplesOf } from '../../../tooling/src/docs/samples/languages.ts';
import { keyPlaceholder, sampleRequests, shownServerOf } from '../../../tooling/src/docs/samples/request.ts';
import { comparable, prepare, printed } from '../../../tooling/test/samples/expected.ts';
import {
  type Outcome,
  partnersFolder,
  runnableLanguages,
  runSamples,
  type SampleRun,
} from '../../../tooling/test/samples/programs.ts';
import { sandboxOperations } from '../../src/operations/sandbox.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const requests = sampleRequests(contract);
const samples = samplesOf(contract);
const baseUrl = shownServerOf(contract);

/** Operations that write, and can be repeated: a second order for the same animal, for example, would be refused. */
const repeatable = ['createPet', 'updatePet'];

/** The samples of a language, all run in one process: those that only read twice, and those of the shared data with a key that can only read. */
describe.each(runnableLanguages())('the samples in %s, with the server and key that the page fills in,', (language) => {
  const partner = partnersFolder();
  const servers: TestServer[] = [];
  const outcomes = new Map<string, Outcome>();

  beforeAll(async () => {
    const runs: SampleRun[] = [];
    const add = (id: string, source: string, server: TestServer, key: string) => {
      const renamed = source.replace(/(?<=^public class )\w+/m, classNameOf(id));
      runs.push({ id, source: filled(renamed, server, key) });
    };
    for (const { id, method, path } of requests) {
      const server = await start(sandboxOperations.some((one) => one === id));
      await prepare(server, id, requests, { createOrder: ['createPet'] });
      const source = sourceOf(id, language);
      const { secret: readKey } = await server.keys.create({ plan: 'free', scope: 'read' });
      // Orders belong to the key that created them.
      const key = path.startsWith('/pets') && method === 'GET' ? readKey : server.key;
      add(id, source, server, key);
      if (method === 'GET' || repeatable.includes(id)) add(`${id}Again`, source, server, key);
    }
    const server = await start(false);
    const list = sourceOf('listPets', language);
    add('refused', list, server, 'as_test_wrong');
    add('misspelt', list.replaceAll('/pets', '/animals'), server, server.key);
    for (const outcome of await runSamples(language, runs, partner.folder)) outcomes.set(outcome.id, outcome);
  });

  afterAll(async () => {
    for (const server of servers) await server.stop();
    partner.remove();
  });

  async function start(sandboxes: boolean): Promise<TestServer> {
    const server = await startTestServer({ databaseUrl: 'sqlite::memory:', config: { sandboxes } });
    servers.push(server);
    return server;
  }

  test.each(requests.map((request) => [request.id, request] as const))(
    'print the example of the contract: %s',
    (id, request) => {
      const { succeeded, output } = outcomes.get(id) ?? {};
      expect(succeeded === true ? comparable(output ?? '') : output).toBe(printed(language, request));
    },
  );

  test('work again in the same store', () => {
    const again = [...outcomes].filter(([id]) => id.endsWith('Again'));
    expect(again.filter(([, { succeeded }]) => !succeeded)).toEqual([]);
    expect(again.length).toBeGreaterThan(5);
  });

  test('fail with the error code if the API refuses', () => {
    expect(outcomes.get('refused')).toMatchObject({
      succeeded: false,
      output: expect.stringContaining('api_key_invalid'),
    });
    expect(outcomes.get('misspelt')).toMatchObject({
      succeeded: false,
      output: expect.stringContaining('route_not_found'),
    });
  });
});

function sourceOf(id: string, language: SampleLanguage): string {
  const sample = samples.get(id)?.find(({ lang }) => lang === language);
  if (sample === undefined) throw new Error(`${id} has no sample in ${language}.`);
  return sample.source;
}

/** Applies the same changes to a sample as the script of the pages. */
function filled(source: string, { url }: TestServer, key: string): string {
  return source.replaceAll(baseUrl, `${url}/v1`).replaceAll(keyPlaceholder, key);
}
