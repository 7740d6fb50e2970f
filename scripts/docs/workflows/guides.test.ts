import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestServer, type TestServer } from '../../../packages/server/test/harness.ts';
import { type ContractDocument, operationsOf } from '../../generate/document.ts';
import { leaveOut } from '../../testing/left-out.ts';
import { programs } from '../samples/testing/programs.ts';
import { readWorkflows } from './arazzo.ts';
import { workflowGuides } from './guides.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const guides = workflowGuides();

test('each workflow is a guide, its steps numbered', () => {
  expect(guides.map(({ name, title }) => [name, title])).toEqual([
    ['first-animal', 'Your first animal'],
    ['page-through-all', 'Page through all animals'],
    ['quota-and-back-off', 'Stay within the quota'],
    ['replace-get-pet', 'Replace getPet'],
  ]);
  for (const { markdown, title } of guides) {
    expect(markdown).toMatch(new RegExp(`^# ${title}\n[^]*\n## 1\\. [^]*\n## 2\\. `));
    // An expression of Arazzo would mean nothing to a reader.
    expect(markdown).not.toMatch(/\$(inputs|steps|response|statusCode)|undefined|\[object/);
  }
});

test('a step has its request, what to expect, and what to keep', () => {
  const [first] = guides;
  expect(first?.markdown).toContain(`## 1. Add the animal

Add the animal. The reply has the \`id\` that the service gave it, and its address in \`Location\`.

\`\`\`bash
curl --include \\
  "$ANIMAL_STORE_URL/pets" \\
  -H "Authorization: Bearer $ANIMAL_STORE_KEY" \\
  -H "Idempotency-Key: $idempotencyKey" \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"Rex","categoryId":3,"status":"available"}'
\`\`\`

Expect:

- the status is \`201\`
- \`name\` in the body is \`Rex\`

Keep:

- \`petId\`: \`id\` in the body
`);
});

test('what replaces getPet is what the contract says', () => {
  const steps = readWorkflows()
    .filter(({ name }) => name === 'replace-get-pet')
    .flatMap(({ document }) => document.workflows.flatMap((workflow) => workflow.steps));
  const old = operationsOf(contract).find(({ operation }) => operation.operationId === 'getPet')?.operation;
  expect(steps.map(({ operationId }) => operationId)).toEqual(['getPet', old?.['x-deprecation']?.successor]);
});

const inCurl = programs.curl.isThere() ? describe : describe.skip;
if (!programs.curl.isThere()) leaveOut('running the commands of the workflows', programs.curl.needs);

inCurl('the commands of the guides, run as they stand,', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
    for (const name of ['Rex', 'Mia']) {
      await server.call('createPet', { body: { name, categoryId: 3, status: 'available' } });
    }
  });
  afterAll(() => server.stop());

  test.each(guides.map(({ name, markdown }) => [name, markdown]))('succeed: %s', async (_, markdown) => {
    const { headers } = await server.call('listPets', { query: { limit: 1 } });
    const [, cursor = ''] = /cursor=([^&>]+)/.exec(headers.get('link') ?? '') ?? [];
    const taken = { idempotencyKey: 'a1', limit: '1', cursor, petId: '1', status: 'available' };
    const { PATH = '' } = process.env;
    const env = { PATH, ANIMAL_STORE_URL: `${server.url}/v1`, ANIMAL_STORE_KEY: server.key, ...taken };
    const commands = [...markdown.matchAll(/```bash\n(.+?)```/gs)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) {
      const child = spawn('sh', ['-euc', command], { env, stdio: ['ignore', 'pipe', 'ignore'] });
      let printed = '';
      child.stdout.on('data', (bytes) => {
        printed += bytes;
      });
      await once(child, 'close');
      expect(printed).toMatch(/^HTTP\/1\.1 20[014] /);
    }
  });
});
