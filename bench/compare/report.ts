import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../packages/tooling/src/project.ts';
import { formatSpread, markdownTable, spreadOf } from '../statistics.ts';
import type { Results, Sample } from './results.ts';
import { animalStore, lean, type ServerName, serverNames } from './servers.ts';
import { isClearlyMissed, ratiosAgainst, type Target, targetsOf, type Verdict, verdictOf } from './targets.ts';
import { recordedRuns, textsWith } from './texts.ts';
import { type WorkloadName, workloadNames } from './workloads.ts';

/** Writes the figures of a run, their tables, and the texts that quote them. */
export function record(results: Results): void {
  const folder = join(root, 'docs/performance');
  const prefix = results.database === undefined ? '' : 'postgres-';
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${prefix}figures.json`), `${JSON.stringify(results)}\n`);
  writeFileSync(join(folder, `${prefix}tables.md`), tablesOf(results));
  for (const [file, text] of textsWith(recordedRuns())) writeFileSync(file, text);
}

/** The text of docs/performance/tables.md, or of postgres-tables.md. */
export function tablesOf(results: Results): string {
  const [title, option] = results.database === undefined ? ['', ''] : [' on PostgreSQL', '--engine postgres '];
  const header = `# Recorded run${title}\n\nWritten by \`npm run bench -- ${option}--record\`. Read it with [performance](../performance.md).`;
  return `${header}\n\n${reportOf(results)}\n`;
}

/** The whole report, in Markdown. */
export function reportOf(results: Results): string {
  return [conditions(results), targetTable(results), serverTable(results), processTable(results)].join('\n\n');
}

function conditions({ startedAt, machine, options, loadBusy, database }: Results): string {
  const { cores, processor, node, pinned, syncMs } = machine;
  const { rounds, seconds, connections } = options;
  return [
    `${startedAt.slice(0, 10)}: ${cores} cores (${processor}), Node.js ${node}; ${rounds} rounds of ${seconds} s, ${connections} connections.`,
    pinned ? 'Server and load each used their own core.' : 'Server and load were NOT pinned to separate cores.',
    `The load generator was busy for at most ${Math.round(loadBusy * 100)} % of a round.`,
    `A synced write took ${syncMs.toFixed(2)} ms.`,
    ...(database === undefined ? [] : conditionsOnPostgres(database)),
  ].join(' ');
}

function conditionsOnPostgres({ version, counting }: NonNullable<Results['database']>): string[] {
  return [
    `All servers stored in PostgreSQL ${version}, which was not pinned, and ${animalStore} counted requests in ${counting}.`,
    'Two processes of a server were not pinned, either.',
    'Round trips were counted in a separate measurement: how often a connection sent queries after it had its answer.',
  ];
}

/** The targets that the run measured. */
export function targetTable(results: Results): string {
  const rows = targetsOf(results).flatMap((target) => {
    const verdict = verdictOf(results, target);
    return verdict.met === undefined ? [] : [[...cellsOf(verdict), verdict.met ? 'yes' : '**no**']];
  });
  return markdownTable(['workload', 'compared with', 'target', 'median (quartiles)', 'met'], rows);
}

function serverTable(results: Results): string {
  const rows = workloadNames.flatMap((workload) =>
    serverNames.flatMap((server) => {
      const samples = results.samples[workload]?.[server];
      return samples === undefined ? [] : [serverRow(results, workload, server, samples)];
    }),
  );
  const header = [
    'workload',
    'server',
    'requests/s',
    results.database === undefined ? `rate of ${animalStore} divided by this rate` : `rate divided by that of ${lean}`,
    'p50, ms',
    'p99, ms',
    'CPU, µs',
    ...(results.database === undefined ? [] : ['database CPU, µs', 'commits that write', 'round trips']),
  ];
  return markdownTable(header, rows);
}

function serverRow(results: Results, workload: WorkloadName, server: ServerName, samples: Sample[]): string[] {
  const median = (read: (sample: Sample) => number) => spreadOf(samples.map(read)).median;
  const isOnSqlite = results.database === undefined;
  const ratios = isOnSqlite
    ? ratiosAgainst(results, workload, server)
    : ratiosAgainst(results, workload, lean, { server });
  return [
    workload,
    server,
    Math.round(median(({ rate }) => rate)).toLocaleString('en-US'),
    server === (isOnSqlite ? animalStore : lean) || ratios.length === 0 ? '' : formatSpread(spreadOf(ratios), 2),
    median(({ p50 }) => p50).toFixed(2),
    median(({ p99 }) => p99).toFixed(2),
    median(({ cpu }) => cpu).toFixed(0),
    ...(isOnSqlite
      ? []
      : [
          median(({ databaseCpu = Number.NaN }) => databaseCpu).toFixed(0),
          median(({ commits = Number.NaN }) => commits).toFixed(3),
          (results.roundTrips?.[workload]?.[server] ?? Number.NaN).toFixed(2),
        ]),
  ];
}

function processTable({ startups, resident }: Results): string {
  const rows = serverNames.flatMap((server) => {
    const [starts, bytes] = [startups[server], resident[server]];
    if (starts === undefined && bytes === undefined) return [];
    const start = starts === undefined ? '' : formatSpread(spreadOf(starts), 0);
    return [[server, start, bytes === undefined ? '' : (bytes / 2 ** 20).toFixed(0)]];
  });
  return markdownTable(['server', 'start to first response, ms', 'resident memory, MiB'], rows);
}

/** The targets that were missed by half, and how to look closer; undefined if there are none. */
export function missedTargetsReport(results: Results): string | undefined {
  const missed = targetsOf(results)
    .map((target) => verdictOf(results, target))
    .filter(isClearlyMissed);
  if (missed.length === 0) return undefined;
  return `Targets missed by half:
${missed.map((verdict) => `  ${cellsOf(verdict).join(' | ')}`).join('\n')}

In three of four rounds, the result was less than half of the target. Noise slows both sides of a round, so a change has probably
made the server slower. Measure this commit and the previous one:
${[...new Set(missed.map((verdict) => commandOf(results, verdict)))].map((command) => `  ${command}`).join('\n')}
To profile the server, run: node --cpu-prof packages/server/src/main.ts`;
}

function commandOf({ database }: Results, { target }: Verdict): string {
  const options = [
    database === undefined ? '' : '--engine postgres',
    'workload' in target ? `--only '${target.workload}'` : '',
    target.kind === 'rate' || target.kind === 'p99' ? `--against '${target.against}'` : '',
  ].filter((option) => option !== '');
  return options.length === 0 ? 'npm run bench' : `npm run bench -- ${options.join(' ')}`;
}

function cellsOf({ target, spread }: Verdict): string[] {
  const digits = target.kind === 'start' ? 0 : 2;
  return [
    nameOf(target),
    'against' in target ? target.against : '',
    goalOf(target),
    spread ? formatSpread(spread, digits) : '',
  ];
}

function nameOf(target: Target): string {
  switch (target.kind) {
    case 'memory':
      return 'resident memory';
    case 'start':
      return 'start to first response, ms';
    case 'p99':
      return `${target.workload}: p99`;
    case 'commits':
      return `${target.workload}: commits that write`;
    case 'round trips':
      return `${target.workload}: round trips`;
    default:
      return target.workload;
  }
}

function goalOf(target: Target): string {
  return 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
}
