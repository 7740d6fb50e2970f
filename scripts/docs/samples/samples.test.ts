import { contractJson } from '@animal-store/contract/document';
import { afterAll, describe, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../../packages/server/test/harness.ts';
import type { ContractDocument } from '../../generate/document.ts';
import { sampleRequests } from './request.ts';
import { type CodeSample, type SampleLanguage, samplesOf } from './samples.ts';
import { comparable, prepare, printed } from './testing/expected.ts';
import { type Outcome, partnersFolder, runnableLanguages, runSample } from './testing/programs.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const requests = sampleRequests(contract);
const samples = samplesOf(contract);
const languages = runnableLanguages();
const partner = partnersFolder();
afterAll(() => partner.remove());

/** Java takes its time to start: its samples are all compiled (texts.test.ts), and the one with a body is run here. */
const runInJava = new Set(['createPet']);

const advice = 'Does it need something in the store first? Name that in scripts/docs/samples/testing/expected.ts.';

function samplesFor(id: string): CodeSample[] {
  return (samples.get(id) ?? []).filter(({ lang }) => languages.includes(lang));
}

function listSample(language: SampleLanguage): CodeSample {
  const [sample] = samplesFor('listPets').filter(({ lang }) => lang === language);
  if (sample === undefined) throw new Error(`listPets has no sample in ${language}.`);
  return sample;
}

function run(sample: CodeSample, id: string, { url }: TestServer, key: string, etag = ''): Promise<Outcome> {
  const baseUrl = requests[0]?.baseUrl ?? '';
  const variables = { ANIMAL_STORE_KEY: key, ETAG: etag };
  return runSample(sample, { id, folder: partner.folder, baseUrl, url: `${url}/v1`, variables });
}

describe('the samples, run as they stand, print what the contract shows:', () => {
  test.each(requests.map((request) => [request.id, request] as const))('%s', async (id, request) => {
    const chosen = samplesFor(id).filter(({ lang }) => lang !== 'java' || runInJava.has(id));
    expect(chosen.length).toBeGreaterThan(0);
    const outcomes = chosen.map(async (sample) => {
      await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
      const etag = await prepare(server, id, requests);
      const { exitCode, stdout, stderr } = await run(sample, id, server, server.key, etag);
      return [sample.lang, exitCode === 0 ? comparable(stdout) : `${stdout}${stderr}\n${advice}`];
    });
    expect(await Promise.all(outcomes)).toEqual(chosen.map(({ lang }) => [lang, printed(lang, request)]));
  });
});

describe.each(languages)('a sample in %s', (language) => {
  const sample = listSample(language);

  test('fails with the code when the API refuses', async () => {
    await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    const { exitCode, stdout, stderr } = await run(sample, 'listPets', server, 'as_test_wrong');
    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).toContain('api_key_invalid');
  });

  test('waits over a 429 for as long as Retry-After says, and goes on', async () => {
    // One second before the minute ends.
    await using server = await startTestServer({
      databaseUrl: 'sqlite::memory:',
      now: Date.parse('2026-12-01T12:00:59Z'),
    });
    const { secret } = await server.keys.create({ plan: 'enterprise', perMinute: 1, perDay: 100 });
    await server.call('listPets', { key: secret });
    const timer = setInterval(() => {
      if (statuses(server).includes(429)) server.clock.now += 1_000;
    }, 200);
    const { exitCode } = await run(sample, 'listPets', server, secret);
    clearInterval(timer);
    expect({ exitCode, statuses: statuses(server) }).toEqual({ exitCode: 0, statuses: [200, 429, 200] });
  });
});

test.each(languages.filter((language) => language !== 'java'))(
  'a wrong sample in %s is found out',
  async (language) => {
    await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    const sample = listSample(language);
    const source = sample.source.replaceAll('/pets', '/animals');
    const { exitCode, stdout, stderr } = await run({ ...sample, source }, 'listPets', server, server.key);
    expect(exitCode).not.toBe(0);
    expect(stdout + stderr).toContain('route_not_found');
  },
);

test.each(languages.filter((language) => language !== 'curl'))('a list in %s goes over all pages', async (language) => {
  await using server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  const sample = listSample(language);
  for (let number = 1; number <= 25; number++) {
    await server.call('createPet', { body: { name: `Rex ${number}`, categoryId: 3, status: 'available' } });
  }
  const { stdout } = await run(sample, 'listPets', server, server.key);
  const names = [...stdout.matchAll(/Rex (\d+)/g)].map(([, number]) => Number(number));
  expect(names).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
});

/** The statuses that the server answered, from its log. */
function statuses(server: TestServer): number[] {
  return [...server.log().matchAll(/"status":(\d+)/g)].map(([, status]) => Number(status));
}
