import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeContract } from '../../../tooling/src/project.ts';
import { type Check, commandOf, runCommand } from './tools.ts';

/** The fields of a collection that are read here. */
type Item = { name: string; item?: Item[]; response?: { code: number }[] };
type Execution = { item: { name: string }; response?: { code: number } };

/** The examples are independent of each other: one deletes the animal that a later one orders, and one lacks its If-Match. */
const LEAST_SUCCESSES = 8;

/** Postman's converter makes a collection of the contract, and its command line sends every request of it. */
export const newman: Check = {
  packages: ['openapi-to-postmanv2', 'newman'],
  run: async ({ url, key }, folder) => {
    const options = 'parametersResolution=Example,enableOptionalParameters=false';
    const convert = ['-s', completeContract, '-o', 'collection.json', '-O', options];
    await runCommand(commandOf('openapi2postmanv2'), convert, { folder });
    const variables = ['--env-var', `baseUrl=${url}`, '--env-var', `bearerToken=${key}`];
    const report = ['--reporters', 'json', '--reporter-json-export', 'run.json'];
    await runCommand(commandOf('newman'), ['run', 'collection.json', ...variables, ...report], { folder });

    const collection: { item: Item[] } = JSON.parse(readFileSync(join(folder, 'collection.json'), 'utf8'));
    const { run }: { run: { executions: Execution[] } } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
    const requests = collection.item.flatMap(requestsOf);
    const statuses = run.executions.map(({ item, response }) => ({ name: item.name, status: response?.code ?? 0 }));
    const wrong = statuses.filter(({ name, status }) => {
      const documented = requests.find((request) => request.name === name)?.response ?? [];
      return status === 400 || status >= 500 || !documented.some(({ code }) => code === status);
    });
    const unsent = requests.filter(({ name }) => !statuses.some((sent) => sent.name === name));
    if (wrong.length + unsent.length > 0) throw new Error(JSON.stringify({ wrong, unsent }));
    const succeeded = statuses.filter(({ status }) => status < 300).length;
    if (succeeded < LEAST_SUCCESSES) throw new Error(`Only ${succeeded} requests succeed: ${JSON.stringify(statuses)}`);
    return `Each of the ${statuses.length} requests of the collection got a documented status, ${succeeded} of them a success.`;
  },
};

function requestsOf(item: Item): Item[] {
  return item.item === undefined ? [item] : item.item.flatMap(requestsOf);
}
