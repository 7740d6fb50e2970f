import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { contractJson } from '@animal-store/contract/document';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ContractDocument } from '../../../tooling/src/contract/document.ts';
import { classNameOf } from '../../../tooling/src/docs/samples/java.ts';
import { type SampleLanguage, samplesOf } from '../../../tooling/src/docs/samples/languages.ts';
import { keyPlaceholder, sampleRequests, shownServerOf } from '../../../tooling/src/docs/samples/request.ts';
import { root } from '../../../tooling/src/project.ts';
import { comparable, prepare, printed } from '../../../tooling/test/samples/expected.ts';
import {
  type Outcome,
  partnersFolder,
  runnableLanguages,
  runSamples,
  type SampleRun,
} from '../../../tooling/test/samples/programs.ts';
import { sandboxOperations } from '../../src/operations/sandbox.ts';
import { startTestServer, type TestServer, temporaryDatabase } from '../harness.ts';
import { startProcess } from '../process.ts';

const contract: ContractDocument = JSON.parse(contractJson);
const requests = sampleRequests(contract);
const samples = samplesOf(contract);
const baseUrl = shownServerOf(contract);

/** The samples of a language, all run in one process. */
describe.each(runnableLanguages())('the samples in %s, with the server and key that the page fills in,', (language) => {
  const partner = partnersFolder();
  const servers: { stop: () => Promise<void> }[] = [];
  const outcomes = new Map<string, Outcome>();

  beforeAll(async () => {
    const runs: SampleRun[] = [];
    const add = (id: string, source: string, server: Pick<TestServer, 'url'>, key: string) => {
      const renamed = source.replace(/(?<=^public class )\w+/m, classNameOf(id));
      runs.push({ id, source: filled(renamed, server, key) });
    };
    for (const { id, first } of requests) {
      const server = await start(needsSandbox(id));
      if (first.length === 0) await prepare(server, id, requests, { createOrder: ['createPet'] });
      add(id, sourceOf(id, language), server, server.key);
    }
    for (const sandboxes of ['off', 'on']) {
      const server = await startInDevelopment(sandboxes);
      servers.push(server);
      for (const round of [1, 2]) {
        for (const { id, method } of shuffled(requests, `${language} ${round}`)) {
          if (needsSandbox(id) && sandboxes === 'off') continue;
          // Without sandboxes, the only order belongs to the key that the server prints.
          const isRead = method === 'GET' && !(id === 'getOrder' && sandboxes === 'off');
          const key = isRead ? server.readKey : server.key;
          add(`${id}Sandboxes${sandboxes}${round}`, sourceOf(id, language), server, key);
        }
      }
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

  test('work on a new server in development, twice and in any order, with a key that can only read if they read', () => {
    const pasted = [...outcomes].filter(([id]) => id.includes('Sandboxes'));
    expect(pasted.filter(([, { succeeded }]) => !succeeded)).toEqual([]);
    expect(pasted).toHaveLength(2 * (2 * requests.length - sandboxOperations.length));
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

function needsSandbox(id: string): boolean {
  return sandboxOperations.some((one) => one === id);
}

/** The server that `npm start` starts in a new clone, with the key that it prints and one that can only read. */
async function startInDevelopment(sandboxes: string) {
  const database = await temporaryDatabase();
  const environment = { NODE_ENV: 'development', DATABASE_URL: database.url, SANDBOXES: sandboxes };
  const { url, output, end } = await startProcess(environment);
  const [key = ''] = /as_test_\w+/.exec(output()) ?? [];
  const program = join(root, 'packages/server/src/main.ts');
  const command = [program, 'keys', 'create', '--plan', 'free', '--scope', 'read', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: { ...process.env, ...environment } });
  const stop = async () => {
    await end('SIGKILL');
    await database.remove();
  };
  return { url, key, readKey: String(JSON.parse(stdout).key), stop };
}

/** In an order that the seed decides. */
function shuffled<Item extends { id: string }>(items: readonly Item[], seed: string): Item[] {
  const rank = ({ id }: Item) => createHash('sha256').update(`${seed} ${id}`).digest('hex');
  return items.toSorted((one, other) => rank(one).localeCompare(rank(other)));
}

function sourceOf(id: string, language: SampleLanguage): string {
  const sample = samples.get(id)?.find(({ lang }) => lang === language);
  if (sample === undefined) throw new Error(`${id} has no sample in ${language}.`);
  return sample.source;
}

/** Applies the same changes to a sample as the script of the pages. */
function filled(source: string, { url }: Pick<TestServer, 'url'>, key: string): string {
  return source.replaceAll(baseUrl, `${url}/v1`).replaceAll(keyPlaceholder, key);
}
