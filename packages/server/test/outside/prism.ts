import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import { eventually } from '../../../testing/src/child.ts';
import { completeContract } from '../../../tooling/src/project.ts';
import { fuzzedOperations } from '../fuzz/requests/contract.ts';
import { type HttpRequest, toHttp } from '../fuzz/requests/request.ts';
import { sampleValidRequests } from '../fuzz/requests/valid.ts';
import { createClient } from '../fuzz/target/sender.ts';
import { prepare } from '../fuzz/target/target.ts';
import { type Check, commandOf, type Subject, startCommand } from './tools.ts';

const REQUESTS_PER_OPERATION = 40;

/** Prism between callers and the server: it compares each request and each response with the contract. */
export const prism: Check = {
  packages: ['@stoplight/prism-cli'],
  run: async ({ url, key }, folder) => {
    const proxy = { url, key, folder };
    const { sent, succeeded, violations } = await sendThroughPrism(completeContract, proxy, REQUESTS_PER_OPERATION);
    if (violations.length > 0) throw new Error(violations.slice(0, 5).join('\n'));

    const wrong = join(folder, 'wrong-contract.json');
    writeFileSync(wrong, JSON.stringify(withMistake(JSON.parse(contractJson))));
    const found = await sendThroughPrism(wrong, proxy, 1);
    if (found.violations.length === 0) throw new Error('Prism overlooks a property that each animal should have.');
    return `${sent} random requests, ${succeeded} of them successful, passed through the proxy without a violation.`;
  },
};

/** The contract with a property of animals that no server sends. */
function withMistake(document: { components: { schemas: { Pet: { required: string[] } } } }): object {
  document.components.schemas.Pet.required.push('weight');
  return document;
}

type ProxyOptions = Subject & { folder: string };

/** Sends random valid requests. Prism replaces a response with a problem of its own if it or the request is not as documented. */
async function sendThroughPrism(
  contract: string,
  { url, key, folder }: ProxyOptions,
  numRuns: number,
): Promise<{ sent: number; succeeded: number; violations: string[] }> {
  const parameters = ['proxy', contract, url, '--errors', '--port', '0'];
  const { child, output } = startCommand(commandOf('prism'), parameters, { folder });
  const client = createClient(await urlOfPrism(output), 4);
  try {
    // Prism adds the path of the upstream URL itself.
    const send = (request: HttpRequest) =>
      client.send({ ...request, target: request.target.replace(/^\/v1/, '') }, { key });
    const operations = fuzzedOperations(JSON.parse(contractJson));
    const violations: string[] = [];
    let [sent, succeeded] = [0, 0];
    for (const operation of operations) {
      const given = await prepare({ send, key }, operations, operation);
      for (const parts of sampleValidRequests(operation, given, { numRuns, seed: 1 })) {
        const { status, headers, text } = await send(toHttp(operation, parts));
        sent += 1;
        if (status < 400) succeeded += 1;
        const isOfPrism = headers.get('content-type')?.startsWith('application/problem+json') === true;
        if (isOfPrism || headers.has('sl-violations')) violations.push(`${operation.id}: ${text}`);
      }
    }
    return { sent, succeeded, violations };
  } finally {
    client.close();
    child.kill();
  }
}

async function urlOfPrism(output: () => string): Promise<string> {
  const pattern = /listening on (http:\S+)/;
  await eventually(() => pattern.test(output()), output);
  return pattern.exec(output())?.[1] ?? '';
}
