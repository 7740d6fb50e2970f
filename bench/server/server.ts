import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { keptOn } from './cores.ts';
import type { MemoryReport, UsageReport } from './memory-report.ts';

export type Server = {
  port: number;
  key: string;
  memory: () => Promise<MemoryReport>;
  usage: () => Promise<UsageReport>;
  /** What it printed so far. */
  output: () => string;
  stop: () => Promise<void>;
};

/** A key that meets no quota. */
export const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000'];

/**
 * Where the code of a server is and where its data are; the latter in the same folder, unless said otherwise. `main` is
 * what is run, where that is not the API itself; `log` an open file for what it logs, where that is not only to be read.
 */
export type Place = {
  folder: string;
  data?: string;
  main?: string;
  environment?: Record<string, string>;
  log?: number;
};

const START_DEADLINE = 30_000;

/** Makes a key, and with it the database; without a plan, one that meets no quota. */
export function createKey(place: Place, plan: readonly string[] = unlimited): string {
  const main = join(place.folder, 'packages/server/src/cli.ts');
  const options = { cwd: place.folder, env: environmentOf(place), encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync(process.execPath, [main, 'create', ...plan], options).trim();
}

/** Starts the server of a copy of the project as it runs in production. Resolves when it listens. */
export async function startServer(place: Place, key: string, core: string | undefined): Promise<Server> {
  const report = join(import.meta.dirname, 'memory-report.ts');
  const { child, port, printed, stop } = await spawnServer(place, core, ['--expose-gc', '--import', report]);
  const ask = async (question: string) => {
    child.send(question);
    const [answer] = await once(child, 'message');
    return answer;
  };
  return { port, key, output: printed, memory: () => ask('memory'), usage: () => ask('usage'), stop };
}

/** Starts the process of a server with options of Node. Resolves when it listens. */
export async function spawnServer(place: Place, cores: string | undefined, nodeOptions: readonly string[] = []) {
  const { folder, main = 'packages/server/src/main.ts', log = 'pipe' } = place;
  const [command, parameters] = keptOn(cores, process.execPath, [...nodeOptions, join(folder, main)]);
  const child = spawn(command, parameters, {
    cwd: folder,
    env: { ...environmentOf(place), PORT: '0' },
    stdio: ['ignore', log, 'pipe', 'ipc'],
  });
  // Who ends the measure does not want its servers to go on. First of all, because then their data are removed.
  const kill = () => child.kill('SIGKILL');
  process.prependOnceListener('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const printed = textOf(child);
  const port = await portOf(child, printed);
  const stop = async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  return { child, port, printed, stop };
}

function environmentOf({ folder, data = folder, environment }: Place) {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    VALIDATE_RESPONSES: 'false',
    LOG_LEVEL: 'warn',
    DATABASE_URL: `sqlite:${join(data, 'bench.db')}`,
    // As `npm start` does it: what was compiled once is not compiled again.
    NODE_COMPILE_CACHE: join(data, 'compile-cache'),
    ...environment,
  };
}

function textOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (bytes) => {
      text += bytes;
    });
  }
  return () => text;
}

/** The port in what the server shows when it listens. */
function portOf(child: ChildProcess, printed: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    const giveUp = (reason: string) => {
      child.kill('SIGKILL');
      reject(new Error(`The server ${reason}:\n${printed()}`));
    };
    const deadline = setTimeout(giveUp, START_DEADLINE, 'does not listen');
    child.once('exit', () => giveUp('ended before it listened'));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', () => {
        const port = /API +http:\S+:(\d+)\/v1/.exec(printed())?.[1];
        if (port === undefined) return;
        clearTimeout(deadline);
        resolve(Number(port));
      });
    }
  });
}
