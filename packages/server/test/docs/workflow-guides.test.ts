import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { type ContractDocument, operationsOf } from '../../../tooling/src/contract/document.ts';
import { keyPlaceholder, shownServerOf } from '../../../tooling/src/docs/samples/request.ts';
import { readWorkflows } from '../../../tooling/src/docs/workflows/arazzo.ts';
import { workflowGuides } from '../../../tooling/src/docs/workflows/guides.ts';
import { partnersFolder, programs, runIn } from '../../../tooling/test/samples/programs.ts';
import { seeds } from '../../src/operations/seeds.ts';
import { startTestServer, type TestServer } from '../harness.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const guides = workflowGuides(JSON.parse(contractJson));

test('each workflow becomes a guide with numbered steps', () => {
  expect(guides.map(({ name, title }) => [name, title])).toEqual([
    ['first-animal', 'Your first animal'],
    ['page-through-all', 'Page through all animals'],
    ['quota-and-back-off', 'Stay within the quota'],
    ['replace-get-pet', 'Replace getPet'],
  ]);
  for (const { markdown, title } of guides) {
    expect(markdown).toMatch(new RegExp(`^# ${title}\n[^]*\n## 1\\. [^]*\n## 2\\. `));
    // Readers do not know Arazzo's expressions.
    expect(markdown).not.toMatch(/\$(inputs|steps|response|statusCode)|undefined|\[object/);
  }
});

test('a step has its request, the expected response, and the values to store', () => {
  const [first] = guides;
  expect(first?.markdown).toContain(`## 1. Add the animal

Add the animal. The response contains its \`id\`, and its URL in the \`Location\` header.

\`\`\`bash
export ANIMAL_STORE_URL='${shownServerOf(contract)}'
export ANIMAL_STORE_KEY='as_test_YOUR_KEY'
export idempotencyKey="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')"
curl --include \\
  "$ANIMAL_STORE_URL/pets" \\
  -H "Authorization: Bearer $ANIMAL_STORE_KEY" \\
  -H "Idempotency-Key: $idempotencyKey" \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"Rex","categoryId":3,"status":"available"}'
\`\`\`

Check the response:

- the status is \`201\`
- \`name\` in the body is \`Rex\`

Save these values:

- \`petId\`: \`id\` in the body
`);
});

test('the replacement for getPet is the one in the contract', () => {
  const steps = readWorkflows()
    .filter(({ name }) => name === 'replace-get-pet')
    .flatMap(({ document }) => document.workflows.flatMap((workflow) => workflow.steps));
  const old = operationsOf(contract).find(({ operation }) => operation.operationId === 'getPet')?.operation;
  expect(steps.map(({ operationId }) => operationId)).toEqual(['getPet', old?.['x-deprecation']?.successor]);
});

const inCurl = programs.curl.isThere() ? describe : describe.skip;
if (!programs.curl.isThere()) leaveOut('running the commands of the workflows', programs.curl.needs);

inCurl('the commands of a guide, pasted one after the other as the page fills in its server and key,', () => {
  let server: TestServer;
  const folder = partnersFolder();
  beforeAll(async () => {
    server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    for (const body of seeds) await server.call('createPet', { body });
  });
  afterAll(async () => {
    await server.stop();
    folder.remove();
  });

  /** Runs the commands of a guide, some more than once, in one shell. Returns the responses. */
  async function paste(name: string, times = 1): Promise<string[]> {
    const markdown = guides.find((guide) => guide.name === name)?.markdown ?? '';
    const commands = [...markdown.matchAll(/```bash\n(.+?)```/gs)].map(([, command = '']) => command);
    const script = [...commands, ...Array.from({ length: times - 1 }, () => commands.at(-1) ?? '')]
      .join('')
      .replaceAll(shownServerOf(contract), `${server.url}/v1`)
      .replaceAll(keyPlaceholder, server.key);
    const { stdout } = await runIn(folder.folder, ['sh', '-euc', script]);
    return stdout.split(/(?=HTTP\/1\.1 \d)/);
  }

  test('add one animal, repeat the request safely, and find the animal', async () => {
    const [added, again, list] = await paste('first-animal');
    const pet = { id: seeds.length + 1, name: 'Rex', categoryId: 3, status: 'available' };
    expect(added).toMatch(/^HTTP\/1\.1 201 /);
    for (const response of [added, again]) expect(JSON.parse(response?.split('\r\n\r\n')[1] ?? '')).toEqual(pet);
    expect(again).toContain('Idempotency-Replayed: true');
    expect(JSON.parse(list?.split('\r\n\r\n')[1] ?? '').at(-1)).toEqual(pet);
  });

  test('get all pages, each with the cursor of the previous one', async () => {
    const { body: all } = await server.call('listPets');
    const pages = await paste('page-through-all', Math.ceil(all.length / 2) - 1);
    expect(pages.flatMap((page) => JSON.parse(page.split('\r\n\r\n')[1] ?? ''))).toEqual(all);
  });

  test('get one animal both ways, and the quota twice', async () => {
    for (const name of ['replace-get-pet', 'quota-and-back-off']) {
      const responses = await paste(name);
      expect(responses.map((response) => response.slice(0, 12))).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    }
    expect((await paste('replace-get-pet')).map((response) => response.includes('"Rex"'))).toEqual([true, true]);
  });
});
