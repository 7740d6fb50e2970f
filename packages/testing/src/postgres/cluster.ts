import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { makeNewData } from './new-data.ts';

/** PostgreSQL does not run as root; `nobody` exists on every system, and owns nothing. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const owner = isRoot ? NOBODY : undefined;
const environment: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: 'C' };

export type ClusterOptions = {
  password: string;
  /** Replaces settings that are fast rather than durable. */
  settings?: Readonly<Record<string, string>> | undefined;
  /** The parent folder of its data; the system's folder for temporary files by default, and if its user cannot read that one. */
  folder?: string | undefined;
};

const fastSettings = {
  fsync: 'off',
  shared_buffers: '32MB',
  // Short, so that a busy machine detects a deadlock well before the statement times out.
  deadlock_timeout: '100ms',
};

/** A new PostgreSQL with its data in a temporary folder. Only one process may use it at a time. */
export class Cluster {
  readonly port: number;
  readonly #folder: string;
  readonly #programs: string;
  readonly #settings: Readonly<Record<string, string>>;
  #server: ChildProcess | undefined;

  /** @param programs the folder of its programs */
  static async create(programs: string, options: ClusterOptions): Promise<Cluster> {
    return new Cluster(programs, options, await freePort());
  }

  private constructor(programs: string, options: ClusterOptions, port: number) {
    const { password, settings, folder: parent = tmpdir() } = options;
    this.port = port;
    this.#settings = { ...fastSettings, ...settings };
    this.#folder = mkdtempSync(join(isRoot && !isOpenToAll(parent) ? tmpdir() : parent, 'postgres-'));
    if (isRoot) chownSync(this.#folder, NOBODY.uid, NOBODY.gid);
    this.#programs = isRoot && !isOpenToAll(programs) ? copyPrograms(programs, this.#folder) : programs;
    try {
      const program = join(this.#programs, 'initdb');
      makeNewData(this.#folder, { program, password, environment, owner });
    } catch (error) {
      rmSync(this.#folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    for (;;) {
      try {
        return await this.#tryToStart();
      } catch (error) {
        // After a crash, processes that have not noticed it yet keep the shared memory for a moment.
        if (!String(error).includes('shared memory block')) throw error;
      }
      await setTimeout(100);
    }
  }

  async #tryToStart(): Promise<void> {
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...this.#settings };
    const parameters = [
      '-D',
      join(this.#folder, 'data'),
      '-p',
      `${this.port}`,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    const server = spawn(join(this.#programs, 'postgres'), parameters, {
      ...owner,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#server = server;
    let output = '';
    await new Promise<void>((resolve, reject) => {
      server.stderr.on('data', (bytes) => {
        output += bytes;
        if (/ready to accept (read-only )?connections/.test(output)) resolve();
      });
      server.once('error', reject);
      server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${output}`)));
    });
  }

  /** SIGINT ends connections at once and cleanly, SIGQUIT as a crash does. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill(signal);
    await exited;
  }

  /** Stops it and removes its data. */
  async remove(): Promise<void> {
    await this.stop('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Copies an installation below a folder, because its user cannot read the original. Returns the folder of the programs. */
function copyPrograms(programs: string, folder: string): string {
  const installation = join(folder, 'installation');
  // The links between its libraries stay relative.
  cpSync(dirname(programs), installation, { recursive: true, verbatimSymlinks: true });
  return join(installation, basename(programs));
}

/** Whether users other than the owner can read a folder and all of its parents. */
function isOpenToAll(folder: string): boolean {
  if ((statSync(folder).mode & 0o005) !== 0o005) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}
