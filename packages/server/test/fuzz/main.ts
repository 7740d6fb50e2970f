/** npm run fuzz: tests a server against the contract with any number of generated requests. */
import { parseArgs } from 'node:util';
import { contractDocument } from '../contract.ts';
import { fuzzedOperations } from './requests/contract.ts';
import { failureText } from './run/failure.ts';
import type { FuzzOptions } from './run/fuzz-operation.ts';
import { fuzz } from './run/run.ts';
import { startTargetFor } from './target/target.ts';

const help = `npm run fuzz -- [OPTION ...]

Starts a server with its own database, and sends requests that it generates from openapi.yaml: valid ones, and ones that
violate one constraint each. Compares every response with the contract. If a response is wrong, exits with 1 and prints
the request, shrunk as far as possible, as a curl command for a server started by npm start.

  --runs N          requests per operation (default: 2000)
  --seed N          repeat the requests of an earlier run, which printed its seed (default: random)
  --operation NAME  test only this operation; may be repeated
  --kind NAME       send only this kind of request, as named by a failure, such as "query/limit maximum"`;

try {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '2000' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      operation: { type: 'string', multiple: true },
      kind: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) console.log(help);
  else {
    const options = {
      runs: wholeNumber('runs', values.runs),
      seed: wholeNumber('seed', values.seed),
      kind: values.kind,
    };
    await run(values.operation ?? fuzzedOperations(contractDocument).map(({ id }) => id), options);
  }
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(`${error.message}\n\n${help}`);
  process.exitCode = 1;
}

async function run(operations: readonly string[], options: FuzzOptions): Promise<void> {
  console.log(`seed ${options.seed}`);
  let sent = 0;
  for (const operation of operations) {
    await using target = await startTargetFor(operation);
    const { requests, accepted, failures } = await fuzz(target, operation, options);
    sent += requests;
    console.log(`${operation}: ${requests} requests, ${accepted} accepted, ${failures.length} failures`);
    for (const failure of failures) console.error(`\n${failureText(failure)}\n`);
    if (failures.length > 0) process.exitCode = 1;
  }
  if (sent === 0) throw new Error('No operation has requests of that kind.');
}

function wholeNumber(name: string, text: string): number {
  if (/^[0-9]{1,10}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number, not "${text}".`);
}
