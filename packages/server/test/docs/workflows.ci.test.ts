import { globSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runRedocly } from '../../../tooling/src/common/redocly.ts';
import { root } from '../../../tooling/src/project.ts';
import { respect } from '../../../tooling/test/workflows/respect.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
let url = '';
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
  url = `${server.url}/v1`;
});
afterAll(() => server.stop());

test('the workflows are valid Arazzo', () => {
  const files = globSync('docs/workflows/*.arazzo.yaml', { cwd: root });
  const { exitCode, stderr, stdout } = runRedocly('lint', ...files, '--config', 'docs/workflows/redocly.yaml');
  expect({ exitCode, output: exitCode === 0 ? '' : stderr + stdout }).toEqual({ exitCode: 0, output: '' });
});

describe('against the real server', () => {
  test('a first animal is added once, and replaces getPet in the list', async () => {
    const inputs = { apiKey: server.key, idempotencyKey: 'first', petId: 1 };
    const { exitCode, output, steps } = await respect({ names: ['first-animal', 'replace-get-pet'], url, inputs });
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.not.stringContaining('✗') });
    expect(steps.map(({ stepId, response }) => [stepId, response.statusCode])).toEqual([
      ['addTheAnimal', 201],
      ['addItAgain', 201],
      ['findIt', 200],
      ['sendTheDeprecatedRequest', 200],
      ['sendItsReplacement', 200],
    ]);
    expect((await server.call('listPets')).body).toHaveLength(1);
  });

  test('all pages are found by Link', async () => {
    const { body: first } = await server.call('listPets');
    for (let more = first.length; more < 5; more++) {
      await server.call('createPet', { body: { name: `Rex ${more}`, categoryId: 3 } });
    }
    const { body: all } = await server.call('listPets');
    const inputs = { apiKey: server.key, limit: 2 };
    const names = ['page-through-all'];
    const pages = [await onePage({ names, workflow: 'firstPage', url, inputs })];
    for (let cursor = pages[0]?.next; cursor !== undefined; cursor = pages.at(-1)?.next) {
      pages.push(await onePage({ names, workflow: 'nextPage', url, inputs: { ...inputs, cursor } }));
    }
    expect(pages.map(({ pets }) => pets)).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
  });

  test('the workflow waits when the quota is used up', async () => {
    const { secret } = await server.keys.create({ plan: 'enterprise', perMinute: 1, perDay: 100 });
    const before = server.log().length;
    const refused = () => server.log().slice(before).includes('"status":429');
    // While the workflow waits one second, the server's clock advances by the minute that it would wait.
    const { now } = server.clock;
    Object.defineProperty(server.clock, 'now', { get: () => now + (refused() ? 60_000 : 0), configurable: true });
    const change = (text: string) => text.replace('retryAfter: 60', 'retryAfter: 1');
    const inputs = { apiKey: secret };
    const { exitCode, steps } = await respect({ names: ['quota-and-back-off'], url, inputs, change });
    Object.defineProperty(server.clock, 'now', { value: server.clock.now, writable: true });
    expect({ exitCode, statuses: steps.map(({ response }) => response.statusCode) }).toEqual({
      exitCode: 0,
      statuses: [200, 429, 200],
    });
  });
});

/** Runs a workflow of one step. Returns the animals of its page, and the cursor of the next page from `Link`. */
async function onePage(options: Parameters<typeof respect>[0]) {
  const { exitCode, output, steps } = await respect(options);
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.not.stringContaining('✗') });
  const [step] = steps;
  const [, next] = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(step?.response.headers['link'] ?? '') ?? [];
  return { pets: step?.response.body, next };
}
