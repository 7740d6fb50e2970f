import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pinnedCommand } from './cores.ts';
import type { MemoryReport, UsageReport } from './report-usage.ts';

export type Server = {
  port: number;
  memory: () => Promise<MemoryReport>;
  usage: () => Promise<UsageReport>;
  /** The output so far. */
  output: () => string;
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

/** Only ends a start that hangs. A busy machine may be many times slower than a quiet one. */
const START_TIMEOUT_MS = 300_000;
const UNLIMITED = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000'];

/** Creates an API key, and the database if it does not exist. By default the key never reaches a quota. */
export function createKey(options: ServerOptions, plan: readonly string[] = UNLIMITED): string {
  const main = join(options.project, 'packages/server/src/main.ts');
  // Versions up to 1.1.0 have a program for each command.
  const old = join(options.project, 'packages/server/src/cli.ts');
  const settings = { cwd: options.project, env: environmentOf(options), encoding: 'utf8', stdio: 'pipe' } as const;
  // Version 1.0.0 has no such command; there, the next one creates the database.
  const migrate = join(options.project, 'packages/server/src/cli/migrate.ts');
  if (!existsSync(old)) execFileSync(process.execPath, [main, 'migrate'], settings);
  else if (existsSync(migrate)) execFileSync(process.execPath, [migrate], settings);
  const keys = existsSync(old) ? [old] : [main, 'keys'];
  return execFileSync(process.execPath, [...keys, 'create', ...plan], settings).trim();
}

/** Starts a server in production mode that reports its memory and processor time. Resolves when it listens. */
export async function startServer(options: ServerOptions, cores: string | undefined): Promise<Server> {
  const reporter = join(import.meta.dirname, 'report-usage.ts');
  const { child, port, output, stop } = await spawnServer(options, cores, ['--expose-gc', '--import', reporter]);
  const ask = async (question: string) => {
    child.send(question);
    const [answer] = await once(child, 'message');
    return answer;
  };
  return { port, output, memory: () => ask('memory'), usage: () => ask('usage'), stop };
}

/** If the benchmark is interrupted, its servers must end before their data is removed. */
const children = new Set<ChildProcess>();
process.prependOnceListener('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Starts the process of a server with the given Node.js options. Resolves when it listens. */
export async function spawnServer(options: ServerOptions, cores: string | undefined, nodeOptions: string[] = []) {
  const { project, main = 'packages/server/src/main.ts' } = options;
  const node = [...(options.nodeOptions ?? []), ...nodeOptions, join(project, main)];
  const [command, parameters] = pinnedCommand(cores, process.execPath, node);
  const child = spawn(command, parameters, {
    cwd: project,
    env: { ...environmentOf(options), PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  const output = collectOutput(child);
  const port = await waitForPort(child, output);
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { child, port, output, stop };
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

function collectOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes) => {
      text += bytes;
    });
  }
  return () => text;
}

/** The port that the server prints when it listens. */
function waitForPort(child: ChildProcess, output: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      child.kill('SIGKILL');
      reject(new Error(`The server ${reason}:\n${output()}`));
    };
    const timer = setTimeout(fail, START_TIMEOUT_MS, 'does not listen');
    child.once('exit', () => fail('exited before it listened'));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', () => {
        const port = /API +http:\S+:(\d+)\/v1/.exec(output())?.[1];
        if (port === undefined) return;
        clearTimeout(timer);
        resolve(Number(port));
      });
    }
  });
}
