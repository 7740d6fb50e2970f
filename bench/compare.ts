/** npm run bench: our server beside peers that do the same work. `--help` tells more. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/root.ts';
import { makeData } from './compare/data.ts';
import { describeMachine } from './compare/machine.ts';
import { measureMemory } from './compare/memory.ts';
import { HELP, OptionError, type Options, readOptions } from './compare/options.ts';
import { measureProcesses } from './compare/processes.ts';
import { record } from './compare/report/document.ts';
import { conditions, processTable, serverTable, targetTable } from './compare/report/tables.ts';
import { isClearlyLost, verdictOf } from './compare/report/verdict.ts';
import type { Results } from './compare/results.ts';
import { measureRounds } from './compare/rounds.ts';
import { ours } from './compare/servers.ts';
import { measureStarts } from './compare/starts.ts';
import { findCores, stayOn } from './cores.ts';
import { CLEAR_LOSS, targets } from './targets.ts';

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
  return options.smoke ? clearLosses(results) : 0;
}

/** On the disk of the project, because the system's folder for temporary files may be in memory, where nothing is durable. */
async function measure(options: Options): Promise<Results> {
  const base = join(root, 'dist/bench');
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, 'data-'));
  const cores = findCores();
  const at = new Date().toISOString();
  const progress = (what: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${what}`);
  const { rounds, seconds, connections, requests, keys, servers } = options;
  try {
    const machine = describeMachine(folder, cores);
    const data = makeData(join(folder, 'template'));
    const shared = { cores, folder, progress, servers, connections };
    const starts = options.starts === 0 ? {} : await measureStarts(data, { ...shared, rounds: options.starts });
    const processes = measureProcesses(options, cores, progress);
    // From here on this process makes the load.
    stayOn(cores?.load);
    const measured = await measureRounds(data, { ...shared, rounds, seconds, works: options.works });
    const memory = await measureMemory(data, {
      ...shared,
      rounds: options.memory,
      requests,
      keys,
      servers: [ours, 'Fastify'],
    });
    return {
      at,
      machine,
      options: { rounds, seconds, connections, requests, keys },
      ...measured,
      starts,
      processes,
      memory,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function clearLosses(results: Results): 0 | 1 {
  const lost = targets
    .map((target) => verdictOf(results, target))
    .filter((verdict) => isClearlyLost(verdict, CLEAR_LOSS));
  for (const { target, seen } of lost) {
    console.error(`Clearly lost: ${JSON.stringify(target)}, and it was ${seen?.median.toFixed(2)}.`);
  }
  return lost.length === 0 ? 0 : 1;
}
