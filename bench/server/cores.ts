import { spawnSync } from 'node:child_process';

/** Two processor cores: one for the server, another for the load, so that neither takes the other's time. */
export type Cores = { server: string; load: string };

/** The cores to measure on; undefined where there are fewer than two, or no `taskset` to keep a process on one. */
export function findCores(): Cores | undefined {
  const { status, stdout } = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  // pid 17's current affinity list: 0-2,5
  const ranges = stdout.slice(stdout.lastIndexOf(':') + 1).split(',');
  const [server, load] = ranges.flatMap(coresIn);
  return server === undefined || load === undefined ? undefined : { server: String(server), load: String(load) };
}

function coresIn(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** A command with its parameters that stays on the given cores, where there is a choice. */
export function keptOn(cores: string | undefined, command: string, parameters: string[]): [string, string[]] {
  return cores === undefined ? [command, parameters] : ['taskset', ['-c', cores, command, ...parameters]];
}

/** Keeps this process, which makes the load, on its core. */
export function stayOn(core: string | undefined): void {
  if (core !== undefined) spawnSync('taskset', ['-acp', core, String(process.pid)]);
}
