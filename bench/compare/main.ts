/** npm run bench: our server beside peers that do the same work. `--help` tells more. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/root.ts';
import { findCores, stayOn } from '../server/cores.ts';
import { temporaryFolder } from '../server/temporary-folder.ts';
import { HELP } from './help.ts';
import { describeMachine } from './measure/machine.ts';
import { measureMemory } from './measure/memory.ts';
import { measureProcesses } from './measure/processes.ts';
import { measureRounds } from './measure/rounds.ts';
import { measureStarts } from './measure/starts.ts';
import { OptionError, type Options, readOptions } from './options.ts';
import { record } from './report/document.ts';
import { lossReport } from './report/losses.ts';
import { conditions, processTable, serverTable, targetTable } from './report/tables.ts';
import type { Results } from './results.ts';
import { makeData } from './subjects/data.ts';
import { ours, type ServerName } from './subjects/servers.ts';

/** Above this part of its time the load may be what is measured. */
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
  const results = await measure(options);
  mkdirSync(options.output, { recursive: true });
  const file = join(options.output, `compare-${results.at.replaceAll(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify(results)}\n`);
  if (options.record) record(results);
  for (const part of [conditions, targetTable, serverTable, processTable]) console.log(`${part(results)}\n`);
  console.log(file);
  if (results.busiest > TOO_BUSY) {
    console.error(
      `The load was busy for ${Math.round(results.busiest * 100)} % of its time: it may be what was measured.`,
    );
  }
  return options.smoke ? smokeTest(results) : 0;
}

/** On the disk of the project, because the system's folder for temporary files may be in memory, where nothing is durable. */
async function measure(options: Options): Promise<Results> {
  const base = join(root, 'dist/bench');
  mkdirSync(base, { recursive: true });
  using temporary = temporaryFolder(join(base, 'data-'));
  const folder = temporary.path;
  const cores = findCores();
  const at = new Date().toISOString();
  const progress = (what: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
  const { rounds, seconds, connections, requests, keys, servers, works, alone, warmUp } = options;
  const machine = describeMachine(folder, cores);
  const data = makeData(join(folder, 'template'));
  const shared = { cores, folder, progress, servers, connections };
  const starts = options.starts === 0 ? {} : await measureStarts(data, { ...shared, rounds: options.starts });
  const processes = measureProcesses(options, cores, progress);
  // From here on this process makes the load.
  stayOn(cores?.load);
  const measured = await measureRounds(data, { ...shared, rounds, seconds, warmUp, works, alone });
  const compared: readonly ServerName[] = [ours, 'Fastify'];
  const memory = await measureMemory(data, { ...shared, rounds: options.memory, requests, keys, servers: compared });
  return {
    at,
    machine,
    options: { rounds, seconds, connections, requests, keys },
    ...measured,
    starts,
    processes,
    memory,
  };
}

/** Says which targets are clearly lost, and what to do then. */
function smokeTest(results: Results): 0 | 1 {
  const report = lossReport(results);
  if (report === undefined) console.error('No target is clearly lost.');
  else console.error(report);
  return report === undefined ? 0 : 1;
}
