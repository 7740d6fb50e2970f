import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../packages/tooling/src/project.ts';
import { formatSpread, markdownTable, type Results, type Sample, spreadOf } from './results.ts';
import { nameOf, sides } from './server.ts';
import { isClearlyMissed, type Target, type Verdict, verdictsOn } from './targets.ts';
import { workloadsOn } from './workloads.ts';

/** The recorded run of each engine, from which every figure on the page comes. */
const figuresFile = join(root, 'docs/performance/figures.json');
export const page = join(root, 'docs/performance.md');

export function recordedRuns(): Results[] {
  return JSON.parse(readFileSync(figuresFile, 'utf8'));
}

/** Writes the figures of the runs, and their tables into the page. */
export function record(runs: readonly Results[]): void {
  writeFileSync(figuresFile, `${JSON.stringify(runs)}\n`);
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), runs));
}

/** A text with the report of each run between `<!-- recorded run: ENGINE -->` and `<!-- end of recorded run -->`. */
export function withFigures(text: string, runs: readonly Results[]): string {
  return text.replaceAll(
    /(<!-- recorded run: (.+?) -->\n).*?(<!-- end of recorded run -->)/gs,
    (_all, start: string, engine: string, end: string) => {
      const results = runs.find((run) => run.engine === engine);
      if (results === undefined) throw new Error(`No run is recorded for "${engine}".`);
      return `${start}${reportOf(results)}\n${end}`;
    },
  );
}

/** The whole report, in Markdown. */
export function reportOf(results: Results): string {
  return [conditions(results), targetTable(results), workloadTable(results)].join('\n\n');
}

function conditions({ startedAt, machine, options, loadBusy }: Results): string {
  const { cores, processor, node, pinned } = machine;
  const { rounds, seconds, connections, rows } = options;
  const day = new Date(startedAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return [
    `${day}: ${cores} cores (${processor}), Node.js ${node.slice(1)}, ${rows.toLocaleString('en-US')} animals.`,
    `Rounds: ${rounds} of ${seconds} s with ${connections} connections.`,
    `Server and load ${pinned ? 'each had their own core' : 'were NOT pinned to separate cores'}.`,
    `The load generator was busy for at most ${Math.round(loadBusy * 100)} % of a round.`,
  ].join('\n');
}

/** The targets that the run measured. */
export function targetTable(results: Results): string {
  const rows = verdictsOn(results).map((verdict) => [...cellsOf(verdict), verdict.met ? 'yes' : '**no**']);
  return markdownTable(['figure', 'target', 'median (quartiles)', 'met'], rows);
}

/** The medians of the workloads: ours, and the peer's. */
function workloadTable(results: Results): string {
  const { engine, samples, resident } = results;
  const rows = workloadsOn(engine).flatMap((name) => {
    const measured = samples[name];
    if (measured === undefined) return [];
    const medians = (read: (sample: Sample) => number, digits: number) =>
      sides.map((side) => figure(spreadOf(measured[side].map(read)).median, digits)).join(' / ');
    return [[name, medians(({ rate }) => rate, 0), medians(({ p99 }) => p99, 1), medians(({ cpu }) => cpu, 0)]];
  });
  const memory = sides.map((side) => figure(resident[side] / 2 ** 20, 0)).join(' / ');
  const names = sides.map((side) => nameOf(side, engine)).join(' / ');
  const header = [names, 'requests/s', 'p99, ms', 'CPU per request, µs'];
  return `${markdownTable(header, rows)}\n\nResident memory: ${memory} MiB.`;
}

function figure(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The targets that were missed by half; undefined if there are none. */
export function missedTargetsReport(results: Results): string | undefined {
  const missed = verdictsOn(results).filter(isClearlyMissed);
  if (missed.length === 0) return undefined;
  return `Targets missed by half in three of four rounds:\n${missed.map((verdict) => cellsOf(verdict).join(' | ')).join('\n')}`;
}

function cellsOf({ target, spread }: Verdict): string[] {
  return [target.figure, goalOf(target), formatSpread(spread, spread.median < 100 ? 2 : 0)];
}

function goalOf(target: Target): string {
  return 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
}
