import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { readGuides } from '../../../tooling/src/docs/guides/read-guides.ts';
import { keyPlaceholder, sampleRequests, shownServerOf } from '../../../tooling/src/docs/samples/request.ts';
import { samplesOf } from '../../../tooling/src/docs/samples/samples.ts';
import { partnersFolder, runIn, runnableLanguages } from '../../../tooling/test/samples/programs.ts';
import { seeds } from '../../src/operations/seeds.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const samples = samplesOf(contract);

/** A page of the site with its curl commands, as one script. */
type Page = { name: string; code: string; markdown: string };

const guides: Page[] = readGuides(JSON.parse(contractJson))
  .map(({ name, markdown }) => ({ name, markdown, code: commandsIn(markdown) }))
  .filter(({ code }) => code.includes('curl '));
const operations: Page[] = sampleRequests(contract).map(({ id }) => {
  const code = samples.get(id)?.find(({ lang }) => lang === 'curl')?.source ?? '';
  return { name: id, markdown: code, code };
});
const pages = [...guides, ...operations];

function commandsIn(markdown: string): string {
  const blocks = [...markdown.matchAll(/```bash\n(.*?)```/gs)].map(([, code = '']) => code);
  return blocks.filter((code) => /curl |^export /m.test(code)).join('');
}

const inCurl = runnableLanguages().includes('curl') ? describe : describe.skip;

inCurl('on one server that is never reset', () => {
  let server: TestServer;
  const partner = partnersFolder();
  beforeAll(async () => {
    server = await startTestServer({ databaseUrl: 'sqlite::memory:', config: { sandboxes: true } });
    for (const body of seeds) await server.call('createPet', { body });
  });
  afterAll(async () => {
    await server.stop();
    partner.remove();
  });

  /** Pastes the commands of a page into a new shell. Refusals show on stderr. */
  async function paste({ name, code }: Page) {
    const filled = code.replaceAll(shownServerOf(contract), `${server.url}/v1`).replaceAll(keyPlaceholder, server.key);
    // The samples of operations have an option to fail; the commands of guides do not.
    const failing = filled.includes('--fail') ? '' : '--fail';
    const script = `curl() { command curl --silent --show-error ${failing} "$@"; }\n${filled}`;
    const { exitCode, stderr } = await runIn(partner.folder, ['sh', '-c', script]);
    const announced = [...code.matchAll(/^# .*The response is (4\d\d)\./gm)].map(
      ([, status]) => `curl: (22) The requested URL returned error: ${status}\n`,
    );
    return { name, exitCode, stderr: stderr.replace(announced.join(''), '') };
  }

  test.each([
    ['from the first page to the last', pages],
    ['again', pages],
    ['from the last page to the first', pages.toReversed()],
  ])('the commands of all guides and operations succeed: %s', async (_, order) => {
    const outcomes = [];
    for (const page of order) outcomes.push(await paste(page));
    expect(outcomes).toEqual(order.map(({ name }) => ({ name, exitCode: 0, stderr: '' })));
  });
});
