import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { classNameOf } from '../../../tooling/src/docs/samples/java.ts';
import type { SampleLanguage } from '../../../tooling/src/docs/samples/languages.ts';
import { keyPlaceholder, sampleRequests, shownServerOf } from '../../../tooling/src/docs/samples/request.ts';
import { samplesOf } from '../../../tooling/src/docs/samples/samples.ts';
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

const advice = 'Does it need something in the store first? Name that in contract-first.yaml.';

/** The samples of a language, and its list sample once more for each kind of failure, all run in one process. */
describe.each(runnableLanguages())('the samples in %s, with the server and key that the page fills in,', (language) => {
  const partner = partnersFolder();
  const servers = new Map<string, TestServer>();
  const outcomes = new Map<string, Outcome>();

  beforeAll(async () => {
    const runs: SampleRun[] = [];
    for (const { id } of requests) {
      const server = await start(id);
      await prepare(server, id, requests);
      runs.push({ id, source: filled(sourceOf(id, language), server, server.key) });
    }
    const list = sourceOf('listPets', language);
    const add = (id: string, server: TestServer, key = server.key, source = list) => {
      runs.push({ id, source: filled(source.replaceAll('class ListPets', `class ${classNameOf(id)}`), server, key) });
    };
    const refusing = await start('refused');
    add('refused', refusing, 'as_test_wrong');
    const used = servers.get('createPet');
    for (const id of ['createPet', 'updatePet'] as const) {
      const source = sourceOf(id, language).replaceAll(
        `class ${classNameOf(id)}`,
        `class ${classNameOf(`${id}Again`)}`,
      );
      if (used !== undefined) add(`${id}Again`, used, used.key, source);
    }
    add('misspelt', refusing, refusing.key, list.replaceAll('/pets', '/animals'));
    add('limited', await startLimited(), limitedKey);
    const full = await start('paged');
    for (let number = 1; number <= 25; number++) {
      await full.call('createPet', { body: { name: `Rex ${number}`, categoryId: 3, status: 'available' } });
    }
    add('paged', full);
    for (const outcome of await runSamples(language, runs, partner.folder)) outcomes.set(outcome.id, outcome);
  });

  afterAll(async () => {
    for (const server of servers.values()) await server.stop();
    partner.remove();
  });

  async function start(name: string, now?: number): Promise<TestServer> {
    const sandboxes = sandboxOperations.some((id) => id === name);
    const server = await startTestServer({
      databaseUrl: 'sqlite::memory:',
      config: { sandboxes },
      ...(now === undefined ? {} : { now }),
    });
    servers.set(name, server);
    return server;
  }

  let limitedKey = '';
  /** A server one second before the minute ends, with a key whose one request of the minute is used up. */
  async function startLimited(): Promise<TestServer> {
    const server = await start('limited', Date.parse('2026-12-01T12:00:59Z'));
    limitedKey = (await server.keys.create({ plan: 'enterprise', perMinute: 1, perDay: 100 })).secret;
    await server.call('listPets', { key: limitedKey });
    const { now } = server.clock;
    const isRefused = () => statuses(server).includes(429);
    Object.defineProperty(server.clock, 'now', { get: () => now + (isRefused() ? 1_000 : 0) });
    return server;
  }

  test.each(requests.map((request) => [request.id, request] as const))(
    'print the example of the contract: %s',
    (id, request) => {
      const { succeeded, output } = outcomes.get(id) ?? {};
      const text = succeeded === true ? comparable(output ?? '') : `${output}\n${advice}`;
      expect(text).toBe(printed(language, request));
    },
  );

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

  const testOfPages = language === 'curl' ? test.skip : test;
  testOfPages('list all pages', () => {
    const names = [...(outcomes.get('paged')?.output ?? '').matchAll(/Rex (\d+)/g)].map(([, number]) => Number(number));
    expect(names).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
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

/** The statuses of the server's responses, from its log. */
function statuses(server: TestServer): number[] {
  return [...server.log().matchAll(/"status":(\d+)/g)].map(([, status]) => Number(status));
}
