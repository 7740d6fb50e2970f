import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../packages/tooling/src/project.ts';
import { formatSpread, markdownTable, spreadOf } from '../statistics.ts';
import type { Results, Sample } from './results.ts';
import { animalStore, type ServerName, serverNames } from './servers.ts';
import { isClearlyMissed, ratiosAgainst, type Target, targets, type Verdict, verdictOf } from './targets.ts';
import { textsWith } from './texts.ts';
import { type WorkloadName, workloadNames } from './workloads.ts';

/** Writes the figures of a run, their tables, and the texts that quote them. */
export function record(results: Results): void {
  const folder = join(root, 'docs/performance');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'figures.json'), `${JSON.stringify(results)}\n`);
  writeFileSync(join(folder, 'tables.md'), tablesOf(results));
  for (const [file, text] of textsWith(results)) writeFileSync(file, text);
}

/** The text of docs/performance/tables.md. */
export function tablesOf(results: Results): string {
  const header =
    '# Recorded run\n\nWritten by `npm run bench -- --record`. Read it with [performance](../performance.md).';
  return `${header}\n\n${reportOf(results)}\n`;
}

/** The whole report, in Markdown. */
export function reportOf(results: Results): string {
  return [conditions(results), targetTable(results), serverTable(results), processTable(results)].join('\n\n');
}

function conditions({ startedAt, machine, options, loadBusy }: Results): string {
  const { cores, processor, node, pinned, syncMs } = machine;
  const { rounds, seconds, connections } = options;
  return [
    `${startedAt.slice(0, 10)}: ${cores} cores (${processor}), Node.js ${node}; ${rounds} rounds of ${seconds} s, ${connections} connections.`,
    pinned ? 'Server and load each used their own core.' : 'Server and load were NOT pinned to separate cores.',
    `The load generator was busy for at most ${Math.round(loadBusy * 100)} % of a round.`,
    `A synced write took ${syncMs.toFixed(2)} ms.`,
  ].join(' ');
}

/** The targets that the run measured. */
export function targetTable(results: Results): string {
  const rows = targets.flatMap((target) => {
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
    `rate of ${animalStore} divided by this rate`,
    'p50, ms',
    'p99, ms',
    'CPU, µs',
  ];
  return markdownTable(header, rows);
}

function serverRow(results: Results, workload: WorkloadName, server: ServerName, samples: Sample[]): string[] {
  const median = (read: (sample: Sample) => number) => spreadOf(samples.map(read)).median;
  const ratios = server === animalStore ? [] : ratiosAgainst(results, workload, server);
  return [
    workload,
    server,
    Math.round(median(({ rate }) => rate)).toLocaleString('en-US'),
    ratios.length === 0 ? '' : formatSpread(spreadOf(ratios), 2),
    median(({ p50 }) => p50).toFixed(2),
    median(({ p99 }) => p99).toFixed(2),
    median(({ cpu }) => cpu).toFixed(0),
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
  const missed = targets.map((target) => verdictOf(results, target)).filter(isClearlyMissed);
  if (missed.length === 0) return undefined;
  return `Targets missed by half:
${missed.map((verdict) => `  ${cellsOf(verdict).join(' | ')}`).join('\n')}

In three of four rounds, the result was less than half of the target. Noise slows both sides of a round, so a change has probably
made the server slower. Measure this commit and the previous one:
${[...new Set(missed.map(commandOf))].map((command) => `  ${command}`).join('\n')}
To profile the server, run: node --cpu-prof packages/server/src/main.ts`;
}

function commandOf({ target }: Verdict): string {
  if (target.kind === 'rate') return `npm run bench -- --only '${target.workload}' --against '${target.against}'`;
  return target.kind === 'own rate' ? `npm run bench -- --only '${target.workload}'` : 'npm run bench';
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
  if (target.kind === 'memory') return 'resident memory';
  return target.kind === 'start' ? 'start to first response, ms' : target.workload;
}

function goalOf(target: Target): string {
  return 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
}
