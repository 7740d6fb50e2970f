import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { guideRequests } from '../../../tooling/src/docs/guides/other-languages.ts';
import { readGuides } from '../../../tooling/src/docs/guides/read-guides.ts';
import { classNameOf } from '../../../tooling/src/docs/samples/java.ts';
import { samplesFor } from '../../../tooling/src/docs/samples/languages.ts';
import { keyPlaceholder, shownServerOf } from '../../../tooling/src/docs/samples/request.ts';
import { samplesOf } from '../../../tooling/src/docs/samples/samples.ts';
import { partnersFolder, runnableLanguages, runSamples } from '../../../tooling/test/samples/programs.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const samples = [...samplesOf(contract)];
const requestOf = guideRequests(contract);
const partner = partnersFolder();

/** Empty at first, and never reset, like the store that a partner practises with. */
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:', config: { sandboxes: true } });
});
afterAll(async () => {
  await server.stop();
  partner.remove();
});

function filled(source: string): string {
  return source.replaceAll(shownServerOf(contract), `${server.url}/v1`).replaceAll(keyPlaceholder, server.key);
}

const orders = [
  ['from the last operation to the first', samples.toReversed()],
  ['from the first operation to the last', samples],
] as const;

test.each(runnableLanguages().flatMap((language) => orders.map(([name, order]) => [language, name, order] as const)))(
  'all samples in %s succeed on one server, %s',
  async (language, _, order) => {
    const runs = order.map(([id, written]) => {
      const source = written.find(({ lang }) => lang === language)?.source ?? '';
      return { id, source: filled(source) };
    });
    const failed = (await runSamples(language, runs, partner.folder)).filter(({ succeeded }) => !succeeded);
    expect(failed).toEqual([]);
  },
);

/** The samples that guides show for their commands, each with a name of its own. */
const inGuides = readGuides(contract).flatMap(({ name, markdown }) =>
  [...markdown.matchAll(/```bash\n(.*?)```/gs)].flatMap(([, code = ''], place) => {
    const request = requestOf(code);
    return request === undefined ? [] : [{ id: `${name.replaceAll('-', '')}${place}`, request }];
  }),
);

test.each(runnableLanguages())(
  'the samples in %s that guides show for their commands succeed on one server',
  async (language) => {
    expect(inGuides.length).toBeGreaterThan(8);
    const runs = inGuides.map(({ id, request }) => {
      const source = samplesFor(request).find(({ lang }) => lang === language)?.source ?? '';
      return { id, source: filled(source.replaceAll(`class ${classNameOf(request.id)}`, `class ${classNameOf(id)}`)) };
    });
    const outcomes = await runSamples(language, runs, partner.folder);
    expect(outcomes.filter(({ succeeded }) => !succeeded)).toEqual([]);
  },
);

test.each(runnableLanguages())('a sample in %s ends at the first step that the API refuses', async (language) => {
  const source = samples.find(([id]) => id === 'deletePet')?.[1].find(({ lang }) => lang === language)?.source ?? '';
  const refused = source
    .replaceAll(shownServerOf(contract), `${server.url}/v1`)
    .replaceAll(keyPlaceholder, 'as_test_wrong');
  const before = server.log().length;
  expect(await runSamples(language, [{ id: 'deletePet', source: refused }], partner.folder)).toMatchObject([
    { succeeded: false, output: expect.stringMatching(/api_key_invalid|API key|401/) },
  ]);
  expect(
    server
      .log()
      .slice(before)
      .match(/"status":401/g),
  ).toHaveLength(1);
});

test('samples change an animal only if it is still at the version that they read', () => {
  const conditional = samples.flatMap(([, written]) => written).filter(({ source }) => source.includes('If-Match'));
  expect(conditional.length).toBeGreaterThan(6);
  expect(conditional.filter(({ source }) => /If-Match\W+\*/.test(source))).toEqual([]);
});
