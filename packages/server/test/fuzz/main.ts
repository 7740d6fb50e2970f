/** npm run fuzz: tests a server against the contract with any number of generated requests. */
import { parseArgs } from 'node:util';
import { operationIds } from '../../src/contract/router.ts';
import { failureText } from './run/failure.ts';
import type { FuzzOptions } from './run/fuzz-operation.ts';
import { fuzz } from './run/run.ts';
import { startTarget } from './target/target.ts';

const help = `npm run fuzz -- [OPTION ...]

Starts a server with a database of its own, and sends requests that are made from openapi.yaml: valid ones, and ones
that violate one constraint each. Every response is held against the contract. Ends with 1 when one is not as promised,
and prints that request, made as small as it goes, as a curl line for a server that "npm start" has started.

  --runs N          requests per operation (2000)
  --seed N          makes the same requests again (a new one each time, and printed)
  --operation NAME  this operation only; may be given several times
  --kind NAME       this kind of request only, as a failure names it: "query/limit maximum"`;

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
    await run(values.operation ?? operationIds(), options);
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
    await using target = await startTarget();
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
  throw new Error(`--${name} must be a whole number, and is "${text}".`);
}
