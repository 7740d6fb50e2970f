/** npm run bench: compares our server with a peer that does the same work. See --help. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { root } from '../packages/tooling/src/project.ts';
import { makePostgresData, makeSqliteData } from './data.ts';
import { measureGrowth } from './growth.ts';
import { measure, measureStarts } from './measure.ts';
import { figuresOn, HELP, type Options, readOptions } from './options.ts';
import { missedTargetsReport, record, reportOf } from './report.ts';
import type { Results } from './results.ts';
import { type Cores, type EngineName, findCores, pinThisProcess } from './server.ts';
import { isWorkloadName } from './workloads.ts';

/** Above this fraction of a round, the load generator may be the bottleneck. */
const TOO_BUSY = 0.9;

// An interrupted run ends its servers and removes its data, too.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const options = optionsOrExit();
if (options === undefined) console.log(HELP);
else process.exitCode = await bench(options);

function optionsOrExit(): Options | undefined {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nSee npm run bench -- --help`);
    process.exit(2);
  }
}

async function bench(options: Options): Promise<0 | 1> {
  const cores = findCores();
  const runs: Results[] = [];
  for (const engine of options.engines) {
    const results = await run(engine, options, cores);
    runs.push(results);
    mkdirSync(options.output, { recursive: true });
    const file = join(options.output, `${engine}-${results.startedAt.replaceAll(/[:.]/g, '-')}.json`);
    writeFileSync(file, `${JSON.stringify(results)}\n`);
    console.log(`${reportOf(results)}\n\n${file}`);
    if (results.loadBusy > TOO_BUSY) console.error('The load generator was too busy and may have limited the rates.');
  }
  if (options.record) record(runs);
  if (!options.smoke) return 0;
  const missed = runs.flatMap((results) => missedTargetsReport(results) ?? []);
  console.error(missed.join('\n') || 'No target was missed by half.');
  return missed.length === 0 ? 0 : 1;
}

/** Keeps the data on the disk of the project, because the system's temporary folder may be in memory. */
async function run(engine: EngineName, options: Options, cores: Cores | undefined): Promise<Results> {
  const base = join(root, 'dist/bench');
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, 'data-'));
  // A server that has just been killed may still be writing.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  const { rounds, seconds, connections, rows } = options;
  const chosen = options.only ?? figuresOn(engine);
  const startedAt = new Date().toISOString();
  const common = {
    engine,
    workloads: chosen.filter(isWorkloadName),
    rounds,
    seconds,
    connections,
    cores,
    folder,
    log: (message: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${message}`),
  };
  // PostgreSQL uses all cores, and so does a start.
  pinThisProcess(cores?.all);
  const makeData = engine === 'sqlite' ? makeSqliteData : makePostgresData;
  await using data = await makeData(folder, rows);
  const starts = chosen.includes('start') ? await measureStarts(data, common) : [];
  // From here on, this process generates the load.
  pinThisProcess(cores?.load);
  const measured = await measure(data, common);
  const lastOperation = chosen.includes('last operation') ? await measureGrowth(options.operations, common) : [];
  const machine = {
    cores: cpus().length,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    node: process.version,
    pinned: cores !== undefined,
  };
  return {
    engine,
    startedAt,
    machine,
    options: { rounds, seconds, connections, rows },
    ...measured,
    lastOperation,
    starts,
  };
}
