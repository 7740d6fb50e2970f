/** npm run bench: compares our server with peers that do the same work. See --help. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedis } from '../../packages/testing/src/redis.ts';
import { root } from '../../packages/tooling/src/project.ts';
import { findCores, pinThisProcess } from '../server/cores.ts';
import { temporaryFolder } from '../server/temporary-folder.ts';
import { type Data, makeSqliteData } from './data.ts';
import { describeMachine } from './machine.ts';
import { measure } from './measure.ts';
import { HELP, OptionError, type Options, readOptions } from './options.ts';
import { makePostgresData } from './postgres-data.ts';
import { missedTargetsReport, record, reportOf } from './report.ts';
import type { Results } from './results.ts';
import { measureRoundTrips } from './round-trips.ts';
import { measureStartups } from './startup.ts';

/** Above this fraction of a round, the load generator may be the bottleneck. */
const TOO_BUSY = 0.9;

try {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) console.log(HELP);
  else process.exitCode = await bench(options);
} catch (error) {
  if (!(error instanceof OptionError)) throw error;
  console.error(`${error.message}\nSee npm run bench -- --help`);
  process.exitCode = 2;
}

async function bench(options: Options): Promise<0 | 1> {
  const results = await run(options);
  mkdirSync(options.output, { recursive: true });
  const file = join(options.output, `compare-${results.startedAt.replaceAll(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify(results)}\n`);
  if (options.record) record(results);
  console.log(`${reportOf(results)}\n\n${file}`);
  if (results.loadBusy > TOO_BUSY) console.error('The load generator was too busy and may have limited the rates.');
  if (!options.smoke) return 0;
  const missed = missedTargetsReport(results);
  console.error(missed ?? 'No target was missed by half.');
  return missed === undefined ? 0 : 1;
}

/** Keeps the data on the disk of the project, because the system's temporary folder may be in memory. */
async function run(options: Options): Promise<Results> {
  const base = join(root, 'dist/bench');
  mkdirSync(base, { recursive: true });
  using temporary = temporaryFolder(join(base, 'data-'));
  const folder = temporary.path;
  const cores = findCores();
  const startedAt = new Date().toISOString();
  const log = (message: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${message}`);
  const { rounds, seconds, connections, starts } = options;
  const machine = describeMachine(folder, cores);
  await using data = await makeData(options, folder);
  const startups = starts === 0 ? {} : await measureStartups(data, starts, { ...options, cores, folder, log });
  // From here on, this process generates the load.
  pinThisProcess(cores?.load);
  const measured = await measure(data, { ...options, cores, folder, log });
  const results = { startedAt, machine, options: { rounds, seconds, connections }, ...measured, startups };
  const { postgres } = data;
  if (postgres === undefined) return results;
  const roundTrips = await measureRoundTrips(data, postgres.port, { ...options, cores, folder, log });
  return { ...results, database: postgres.description, roundTrips };
}

async function makeData({ engine, redis }: Options, folder: string): Promise<Data> {
  if (engine === 'sqlite') return makeSqliteData(join(folder, 'template'));
  const program = redis ? findRedis('the benchmark') : undefined;
  if (redis && program === undefined) throw new OptionError('--redis needs Redis or Valkey on the PATH.');
  return makePostgresData(folder, program);
}
