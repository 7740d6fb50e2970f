import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { keptOn } from './cores.ts';
import type { MemoryReport } from './memory-report.ts';

export type Server = {
  port: number;
  key: string;
  memory: () => Promise<MemoryReport>;
  stop: () => Promise<void>;
};

/** A key that meets no quota. */
const unlimited = ['--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000'];

const START_DEADLINE = 30_000;

/** Makes the key that the measured requests carry, and with it the database. */
export function createKey(folder: string): string {
  const main = join(folder, 'packages/server/src/cli.ts');
  const options = { cwd: folder, env: environmentOf(folder), encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync(process.execPath, [main, 'create', ...unlimited], options).trim();
}

/** Starts the server of a copy of the project as it runs in production. Resolves when it listens. */
export async function startServer(folder: string, key: string, core: string | undefined): Promise<Server> {
  const report = join(import.meta.dirname, 'memory-report.ts');
  const main = join(folder, 'packages/server/src/main.ts');
  const [command, parameters] = keptOn(core, process.execPath, ['--expose-gc', '--import', report, main]);
  const child = spawn(command, parameters, {
    cwd: folder,
    env: { ...environmentOf(folder), PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const port = await portOf(child);
  return {
    port,
    key,
    memory: async () => {
      child.send('memory');
      const [report] = await once(child, 'message');
      return report;
    },
    stop: async () => {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

function environmentOf(folder: string) {
  return {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'production',
    VALIDATE_RESPONSES: 'false',
    LOG_LEVEL: 'warn',
    DATABASE_URL: `sqlite:${join(folder, 'bench.db')}`,
    // As `npm start` does it: what was compiled once is not compiled again.
    NODE_COMPILE_CACHE: join(folder, 'compile-cache'),
  };
}

/** The port in what the server shows when it listens. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const giveUp = (reason: string) => {
      child.kill('SIGKILL');
      reject(new Error(`The server ${reason}:\n${text}`));
    };
    const deadline = setTimeout(giveUp, START_DEADLINE, 'does not listen');
    child.once('exit', () => giveUp('ended before it listened'));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (bytes) => {
        text += bytes;
        const port = /API +http:\S+:(\d+)\/v1/.exec(text)?.[1];
        if (port === undefined) return;
        clearTimeout(deadline);
        resolve(Number(port));
      });
    }
  });
}
