/** Prints the files in packages/ that a repeated GET /v1/pets?limit=20 enters, one per line, without those of the API. scripts/structure.ts runs it. */
import { Session } from 'node:inspector/promises';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { readConfig } from '../../service/src/config/config.ts';
import { createLogOutput } from '../../service/src/process/log-output.ts';
import { startServer } from '../../service/src/start.ts';
import { api } from '../src/operations/api.ts';

// The access log is written as in production, but not to standard output, which has the result.
const log = pino({ level: 'info' }, createLogOutput(process.stderr.fd));
const server = await startServer({ service: api, config: readConfig(process.env), log });
const { secret } = await server.keys.create({ plan: 'business', name: 'structure' });
const get = async (limit: number) => {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1/pets?limit=${limit}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  if (response.status !== 200) throw new Error(`The request got ${response.status}.`);
  await response.text();
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// The first request compiles the operation's schemas; periodic work runs in the pause.
await get(3);
await setTimeout(1_500);
let entered = await filesEntered();
// Periodic work may run during some of the requests, also during several in a row on a busy machine.
for (let count = 1; count < 20; count += 1) {
  const files = await filesEntered();
  entered = entered.filter((file) => files.includes(file));
}
console.log(entered.join('\n'));
await server.stop();

async function filesEntered(): Promise<string[]> {
  await session.post('Profiler.takePreciseCoverage');
  await get(20);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url, functions }) => /\/packages\/(?!server\/)[a-z]+\/src\//.test(url) && functions.some(isCalled))
    .map(({ url }) => url.replace(/.*\/packages\//, 'packages/'))
    .sort();
}

function isCalled({ functionName, ranges }: { functionName: string; ranges: { count: number }[] }): boolean {
  return functionName !== '' && (ranges[0]?.count ?? 0) > 0;
}
