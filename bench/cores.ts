import { spawnSync } from 'node:child_process';

/**
 * Two processor cores: one for the server, the other for the load, so that they do not compete for time. `all` lists every core of
 * this process.
 */
export type Cores = { server: string; load: string; all: string };

/** The first two cores of this process; undefined if it has fewer, or if `taskset` is missing. */
export function findCores(): Cores | undefined {
  const { status, stdout } = spawnSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8' });
  if (status !== 0) return undefined;
  // pid 17's current affinity list: 0-2,5
  const all = stdout.slice(stdout.lastIndexOf(':') + 1).trim();
  const [server, load] = all.split(',').flatMap(coresIn);
  return server === undefined || load === undefined ? undefined : { server: String(server), load: String(load), all };
}

function coresIn(range: string): number[] {
  const [first = 0, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** A command that runs only on the given cores, if any are given. */
export function pinnedCommand(cores: string | undefined, command: string, parameters: string[]): [string, string[]] {
  return cores === undefined ? [command, parameters] : ['taskset', ['-c', cores, command, ...parameters]];
}

/** Pins this process, which generates the load. */
export function pinThisProcess(cores: string | undefined): void {
  if (cores !== undefined) spawnSync('taskset', ['-acp', cores, String(process.pid)]);
}
