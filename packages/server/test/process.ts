import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, removedSettings } from '../../service/src/config/config.ts';
import { nodeOptions } from '../../tooling/test/node-options.ts';

export type ServerProcess = {
  url: string;
  /** The output so far. */
  output: () => string;
  child: ChildProcess;
  /** Sends a signal. Resolves to the exit code and signal of the process. */
  end: (signal: NodeJS.Signals) => Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
};

const main = join(import.meta.dirname, '../src/main.ts');
/** Stripping the types only once lets a process start in a third of the time. */
const compileCache = join(import.meta.dirname, '../../../node_modules/.cache/compile');

/**
 * Runs the server as its users do, in a separate process on a free port. Resolves when it listens.
 *
 * @param through a command that runs another one, such as `['prlimit', '--fsize=65536']`
 */
export async function startProcess(
  environment: Record<string, string>,
  through: readonly string[] = [],
): Promise<ServerProcess> {
  const { child, output, ended } = spawnServer({ PORT: '0', ...environment }, through);
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /API +(http:\S+)\/v1/.exec(output())?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    void ended.then(() => reject(new Error(`The server ended before it listened:\n${output()}`)));
  });
  const end: ServerProcess['end'] = (signal) => {
    child.kill(signal);
    return ended;
  };
  return { url, output, child, end };
}

/** Runs a server that must refuse to start. Resolves to its exit code and output. */
export async function runToItsEnd(
  environment: Record<string, string>,
  through: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const { ended, output } = spawnServer(environment, through);
  const { code } = await ended;
  return { code, output: output() };
}

function spawnServer(environment: Record<string, string>, through: readonly string[] = []) {
  const { PATH = '', HOME = '' } = process.env;
  const [command = '', ...parameters] = [...through, process.execPath, ...nodeOptions, main];
  // Relative paths, such as that of the default database, must not lead to this checkout.
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-process-'));
  const child = spawn(command, parameters, {
    cwd: folder,
    // In development the server would add seeds.
    env: { PATH, HOME, NODE_ENV: 'test', NODE_COMPILE_CACHE: compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes) => {
      text += bytes;
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => {
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, signal });
    });
  });
  return { child, output: () => text, ended };
}

/** Every environment variable that the server's configuration is read from. */
export const settingNames: ReadonlySet<string> = namesRead();

function namesRead(): Set<string> {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, undefined>>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(environment);
  for (const name of Object.keys(removedSettings)) names.delete(name);
  return names;
}
