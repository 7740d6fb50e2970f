import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../packages/tooling/src/project.ts';
import { formatSpread, markdownTable, spreadOf } from '../statistics.ts';
import type { EngineName } from './data.ts';
import type { Results, Sample } from './results.ts';
import { animalStore, lean, type ServerName } from './servers.ts';
import { ratiosAgainst, targetsOf, verdictOf } from './targets.ts';
import { type WorkloadName, workloadNames } from './workloads.ts';

/** The recorded runs, from which every figure in these texts comes. */
const figuresFiles: Readonly<Record<EngineName, string>> = {
  sqlite: join(root, 'docs/performance/figures.json'),
  postgres: join(root, 'docs/performance/postgres-figures.json'),
};

export type RecordedRuns = Readonly<Record<EngineName, Results>>;

export function recordedRuns(): RecordedRuns {
  const read = (engine: EngineName) => JSON.parse(readFileSync(figuresFiles[engine], 'utf8'));
  return { sqlite: read('sqlite'), postgres: read('postgres') };
}

/**
 * The Markdown files with blocks between `<!-- recorded run: NAME -->`, or `<!-- recorded run on PostgreSQL: NAME -->`, and
 * `<!-- end of recorded run -->`.
 */
const markdownFiles = ['docs/performance.md', 'docs/capacity.md'].map((file) => join(root, file));

const peers: readonly ServerName[] = [
  'Fastify, tuned',
  'Fastify',
  'Fastify, lean, tuned',
  'Fastify, lean',
  'Express 5 + validator',
  'node:http',
];
const mixed: WorkloadName = 'list, random pages, 5 % writes';
const creation: WorkloadName = 'create, durable';
const reads: readonly WorkloadName[] = [mixed, 'list, random pages', 'list, hot page', 'get by random id'];

/** The Markdown files with the figures of the runs in their blocks. */
export function textsWith(runs: RecordedRuns): Map<string, string> {
  return new Map(markdownFiles.map((file) => [file, withFigures(readFileSync(file, 'utf8'), runs)]));
}

/**
 * A text with the figures of runs in its blocks.
 * @throws Error if a block has an unknown name or the run lacks its figures
 */
export function withFigures(text: string, runs: RecordedRuns): string {
  return text.replaceAll(
    /(<!-- recorded run( on PostgreSQL)?: (.+?) -->\n).*?(<!-- end of recorded run -->)/gs,
    (_all, start: string, onPostgres: string | undefined, name: string, end: string) => {
      const engine = onPostgres === undefined ? 'sqlite' : 'postgres';
      const block = blocks[engine][name];
      if (block === undefined) {
        throw new Error(`No figures are called "${name}". There are: ${Object.keys(blocks[engine]).join(', ')}.`);
      }
      return `${start}${block(runs[engine])}\n${end}`;
    },
  );
}

type Blocks = Readonly<Record<string, (results: Results) => string>>;

function conditions({ startedAt, machine, options }: Results): string {
  return wrap(
    `The run of ${dayOf(startedAt)} used ${options.rounds} rounds of ${options.seconds} s on a machine with ${machine.cores} cores
    (${machine.processor}) and Node.js ${machine.node.replace('v', '')}. A synced write took ${machine.syncMs.toFixed(2)} ms.`,
  );
}

function missedTargets(results: Results): string {
  const missed = targetsOf(results).flatMap((target) => {
    const { met, spread } = verdictOf(results, target);
    if (met !== false || spread === undefined) return [];
    const [peer, goal] = [
      'against' in target ? ` against ${target.against}` : '',
      'atLeast' in target ? target.atLeast : target.atMost,
    ];
    const kind = target.kind === 'rate' || target.kind === 'own rate' ? '' : `, ${target.kind}`;
    const name = 'workload' in target ? `${target.workload}${kind}` : target.kind;
    return [`* ${name}${peer}: ${formatSpread(spread, 2)} instead of ${goal}`];
  });
  return missed.length === 0 ? 'All targets were met.' : `Missed targets:\n\n${missed.join('\n')}`;
}

/** Our figures next to those of the lean Fastify, for each workload. */
function comparisonOnPostgres(results: Results): string {
  const median = (workload: WorkloadName, read: (sample: Sample) => number) =>
    [animalStore, lean].map((server) => medianOf(results, workload, server, read).toFixed(0)).join(' / ');
  const rows = workloadNames
    .filter((workload) => results.samples[workload]?.[lean] !== undefined)
    .map((workload) => [
      workload,
      against(results, lean)(workload),
      spreadOf(ratiosAgainst(results, workload, lean, { figure: 'p99' })).median.toFixed(2),
      median(workload, ({ cpu }) => cpu),
      median(workload, ({ databaseCpu = 0 }) => databaseCpu),
      [animalStore, lean].map((server) => (results.roundTrips?.[workload]?.[server] ?? 0).toFixed(2)).join(' / '),
      medianOf(results, workload, animalStore, ({ commits = 0 }) => commits).toFixed(2),
    ]);
  const header = ['workload', 'rate', 'p99', 'CPU, µs', 'database CPU, µs', 'round trips', 'commits that write'];
  return markdownTable(header, rows);
}

const sqliteBlocks: Blocks = {
  conditions,
  ratios: (results) => {
    const rows = [...reads, creation].map((workload) => [
      workload,
      ...peers.map((peer) => against(results, peer)(workload)),
    ]);
    return markdownTable(['workload', ...peers], rows);
  },
  summary: (results) => {
    const range = (peer: ServerName) => {
      const ratios = reads.map((workload) => Number(against(results, peer)(workload)));
      return `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    };
    const memory = (server: ServerName) => `${Math.round((results.resident[server] ?? Number.NaN) / 2 ** 20)} MiB`;
    return wrap(
      `**In short:** for reads, the server reaches ${range('Fastify, tuned')} times the rate of Fastify with the same features, batches and
      cache, ${range('Fastify')} times that of Fastify without batches and cache, and ${range('Express 5 + validator')} times that of Express with
      the same validator. It stores ${against(results, 'Fastify, tuned')(creation)} times as many animals per second as the tuned Fastify. The
      server used ${memory(animalStore)}, and the lean Fastify ${memory('Fastify, lean')}.`,
    );
  },
  'missed targets': missedTargets,
  'cost of a get': (results) => {
    const cpu = (server: ServerName) =>
      `${medianOf(results, 'get by random id', server, ({ cpu }) => cpu).toFixed(0)} µs`;
    return wrap(
      `A get takes ${cpu(animalStore)} of processor time, a get of the lean Fastify ${cpu('Fastify, lean')}, and one of the node:http peer,
      which has no framework, ${cpu('node:http')}.`,
    );
  },
  'rates of one process': (results) => {
    const rows = requests.map(([name, workload]) => {
      const median = (read: (sample: Sample) => number) => medianOf(results, workload, animalStore, read);
      const rate = median((sample) => sample.rate);
      return [
        name,
        Math.round(rate).toLocaleString('en-US'),
        median(({ p99 }) => p99).toFixed(1),
        median(({ cpu }) => cpu).toFixed(0),
        (Math.floor((rate * 0.7) / 100) * 100).toLocaleString('en-US'),
      ];
    });
    const { machine, startedAt, resident } = results;
    const conditions = wrap(
      `Measured on ${dayOf(startedAt)} on ${machine.cores} cores (${machine.processor}), with ${results.options.connections} connections. A synced
      write took ${machine.syncMs.toFixed(2)} ms, and the process used ${Math.round((resident[animalStore] ?? Number.NaN) / 2 ** 20)} MiB of memory.`,
    );
    const header = ['request', 'requests per second', 'p99, ms', 'server CPU time, µs', '70 % of the rate'];
    return `${conditions}\n\n${markdownTable(header, rows)}`;
  },
};

const blocks: Readonly<Record<EngineName, Blocks>> = {
  sqlite: sqliteBlocks,
  postgres: { conditions, comparison: comparisonOnPostgres, 'missed targets': missedTargets },
};

const requests: readonly (readonly [name: string, workload: WorkloadName])[] = [
  ['`GET /v1/pets/{petId}`, random', 'get by random id'],
  ['`GET /v1/pets?limit=20`, random', 'list, random pages'],
  ['the same, with 5 % writes', mixed],
  ['`POST /v1/pets`, 50 callers sharing commits', creation],
  ['401', '401, missing or unknown key'],
  ['429', '429, key over its quota'],
];

/** The median of our rate divided by that of a peer, by workload. */
function against(results: Results, peer: ServerName): (workload: WorkloadName) => string {
  return (workload) => spreadOf(ratiosAgainst(results, workload, peer)).median.toFixed(2);
}

function medianOf(results: Results, workload: WorkloadName, server: ServerName, read: (sample: Sample) => number) {
  return spreadOf((results.samples[workload]?.[server] ?? []).map(read)).median;
}

function dayOf(startedAt: string): string {
  return new Date(startedAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}

/** A paragraph in lines of at most 140 characters. */
function wrap(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && longer.length <= 140) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join('\n');
}
