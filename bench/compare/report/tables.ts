import { table } from '../../../scripts/docs/facts/words.ts';
import { type Spread, spreadOf } from '../../figures/statistics.ts';
import type { Sample } from '../measure/samples.ts';
import type { Results } from '../results.ts';
import { serverNames } from '../subjects/servers.ts';
import { type WorkName, workNames } from '../subjects/works.ts';
import { type Target, targets } from '../targets.ts';
import { ratiosAgainst, type Verdict, verdictOf } from './verdict.ts';

/** The targets and what was seen of them, as a Markdown table. */
export function targetTable(results: Results): string {
  const rows = targets.map((target) => {
    const verdict = verdictOf(results, target);
    return [...describeVerdict(verdict), verdict.met === undefined ? 'not measured' : verdict.met ? 'yes' : '**no**'];
  });
  return table(['work', 'against', 'target', 'seen: median (quartiles)', 'met'], rows);
}

/** What was measured against what, what is wanted, and what was seen of it. */
export function describeVerdict({ target, seen }: Verdict): string[] {
  return [workOf(target), againstOf(target), goalOf(target), seen === undefined ? '' : spread(seen, target)];
}

/** Every server at every work, as a Markdown table. */
export function serverTable(results: Results): string {
  const rows = workNames.flatMap((work) => serverNames.flatMap((server) => serverRow(results, work, server)));
  return table(['work', 'server', 'requests/s', 'of Fastify', 'p50, ms', 'p99, ms', 'CPU, µs'], rows);
}

/** Starts and memory of every server, and whole processes of the project. */
export function processTable({ starts, resident, memory, processes }: Results): string {
  const rows = serverNames.flatMap((server) => {
    const all = [starts[server], resident[server], memory[server]];
    if (all.every((values) => values === undefined)) return [];
    const afterAll = memory[server];
    return [
      [
        server,
        starts[server] === undefined ? '' : quartiles(spreadOf(starts[server]), 0),
        resident[server] === undefined ? '' : mebibytes(resident[server]),
        afterAll === undefined ? '' : mebibytes(spreadOf(afterAll.map((report) => report.resident)).median),
        afterAll === undefined ? '' : mebibytes(spreadOf(afterAll.map((report) => report.heap)).median),
      ],
    ];
  });
  const heading = [
    'server',
    'start to first reply, ms',
    'after the reads, MiB',
    'after all keys, MiB',
    'of that heap, MiB',
  ];
  const commands = [
    ...(processes.generate.length > 0
      ? [`\`npm run generate\` took ${quartiles(spreadOf(processes.generate), 2)} s.`]
      : []),
    ...(processes.test.length > 0 ? [`\`npm test\` took ${spreadOf(processes.test).median.toFixed(0)} s.`] : []),
  ];
  return [table(heading, rows), ...commands].join('\n\n');
}

/** On what and how it was measured, in a sentence or two. */
export function conditions({ at, machine, options, busiest }: Results): string {
  const { cores, processor, node, pinned, sync } = machine;
  const { rounds, seconds, connections } = options;
  const where = `${cores} cores of ${processor}, Node ${node}, ${at.slice(0, 10)}`;
  const place = pinned
    ? 'The server had one core, the load another'
    : 'Server and load were NOT kept on cores of their own';
  const load = `the load was busy for at most ${Math.round(busiest * 100)} % of its time`;
  const disk = `a small write was on disk after ${sync.toFixed(2)} ms`;
  return `${where}; ${rounds} rounds of ${seconds} s, ${connections} connections. ${place}; ${load}; ${disk}.`;
}

function serverRow(results: Results, work: WorkName, server: (typeof serverNames)[number]): string[][] {
  const samples = results.samples[work]?.[server];
  if (samples === undefined) return [];
  const middle = (read: (sample: Sample) => number) => spreadOf(samples.map(read)).median;
  const ratios = ratiosAgainst(results, work, 'Fastify', server);
  return [
    [
      work,
      server,
      Math.round(middle(({ rate }) => rate)).toLocaleString('en-US'),
      ratios.length === 0 ? '' : quartiles(spreadOf(ratios), 2),
      middle(({ p50 }) => p50).toFixed(2),
      middle(({ p99 }) => p99).toFixed(2),
      middle(({ cpu }) => cpu).toFixed(0),
    ],
  ];
}

function workOf(target: Target): string {
  if (target.kind === 'memory') return 'memory after all keys';
  return target.kind === 'start' ? 'start to first reply' : target.work;
}

function againstOf(target: Target): string {
  return 'against' in target ? target.against : '';
}

function goalOf(target: Target): string {
  if (target.kind === 'start') return `≤ ${target.atMost} ms`;
  return 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
}

function spread(seen: Spread, { kind }: Target): string {
  return kind === 'start' ? `${quartiles(seen, 0)} ms` : quartiles(seen, 2);
}

function quartiles({ median, low, high }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
