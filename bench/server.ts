import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../packages/tooling/src/project.ts';
import { nodeOptions } from '../packages/tooling/test/node-options.ts';
import type { UsageReport } from './report-usage.ts';

export type Server = {
  port: number;
  usage: () => Promise<UsageReport>;
  stop: () => Promise<void>;
};

/** Which server to start: the project's folder, the folder of its data, and the script if it is not the API itself. */
export type ServerOptions = {
  project: string;
  data: string;
  main?: string;
  /** Options of Node.js itself. */
  nodeOptions?: readonly string[];
  environment?: Record<string, string>;
};

const UNLIMITED = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000'];

/** Creates an API key that never reaches its quota, and the database if it does not exist. */
export function createKey(options: ServerOptions): string {
  const main = join(options.project, 'packages/server/src/main.ts');
  const settings = { cwd: options.project, env: environmentOf(options), encoding: 'utf8', stdio: 'pipe' } as const;
  execFileSync(process.execPath, [main, 'migrate'], settings);
  return execFileSync(process.execPath, [main, 'keys', 'create', ...UNLIMITED], settings).trim();
}

/** If the benchmark is interrupted, its servers must end before their data is removed. */
const children = new Set<ChildProcess>();
process.prependOnceListener('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const reporter = ['--import', join(import.meta.dirname, 'report-usage.ts')];

/**
 * Starts a server in production mode. Resolves when it listens.
 * @param imports options of Node.js with which it reports its usage
 */
export async function startServer(
  options: ServerOptions,
  cores: string | undefined,
  imports = reporter,
): Promise<Server> {
  const { project, main = 'packages/server/src/main.ts', nodeOptions = [] } = options;
  const node = [...nodeOptions, ...imports, join(project, main)];
  const [command, parameters] = pinnedCommand(cores, process.execPath, node);
  const child = spawn(command, parameters, {
    cwd: project,
    env: { ...environmentOf(options), PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const port = await waitForPort(child);
  return {
    port,
    async usage() {
      child.send('usage');
      const [report] = await once(child, 'message');
      return report;
    },
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

function environmentOf({ data, environment }: ServerOptions) {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    VALIDATE_RESPONSES: 'false',
    LOG_LEVEL: 'warn',
    DATABASE_URL: `sqlite:${join(data, 'bench.db')}`,
    // As with `npm start`, so that code is compiled only once.
    NODE_COMPILE_CACHE: join(data, 'compile-cache'),
    ...environment,
  };
}

/** The port that the server prints when it listens. */
function waitForPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', () => reject(new Error(`The server exited before it listened:\n${output}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes) => {
        output += bytes;
        const port = /API +http:\S+:(\d+)\/v1/.exec(output)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
    }
  });
}

export const engineNames = ['sqlite', 'postgres'] as const;

export type EngineName = (typeof engineNames)[number];

/** Our server as it ships, and the server that it is compared with. */
export const sides = ['own', 'peer'] as const;

export type Side = (typeof sides)[number];

/** The peer on each engine, and its script. */
const peers = {
  sqlite: { name: 'Fastify', main: 'bench/peers/fastify.ts' },
  postgres: { name: 'lean Fastify', main: 'bench/peers/fastify-lean.ts' },
} as const satisfies Record<EngineName, { name: string; main: string }>;

export function nameOf(side: Side, engine: EngineName): string {
  return side === 'own' ? 'Animal Store' : peers[engine].name;
}

/**
 * How to start a server whose data is in a folder of its own.
 * @param folder the folder of the whole run
 */
export function optionsOf(side: Side, engine: EngineName, folder: string): ServerOptions {
  const server = { project: root, data: join(folder, side) };
  return side === 'own' ? { ...server, nodeOptions } : { ...server, main: peers[engine].main };
}

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
function pinnedCommand(cores: string | undefined, command: string, parameters: string[]): [string, string[]] {
  return cores === undefined ? [command, parameters] : ['taskset', ['-c', cores, command, ...parameters]];
}

/** Pins this process, which generates the load. */
export function pinThisProcess(cores: string | undefined): void {
  if (cores !== undefined) spawnSync('taskset', ['-acp', cores, String(process.pid)]);
}
