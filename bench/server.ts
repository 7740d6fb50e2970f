import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pinnedCommand } from './cores.ts';
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
