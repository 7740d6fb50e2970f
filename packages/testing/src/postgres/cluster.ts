import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../listen.ts';

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

/** Runs `initdb` as the user who runs the tests, or as `nobody` if that is root. */
type Initdb = {
  program: string;
  password: string;
  environment: NodeJS.ProcessEnv;
  owner: { uid: number; gid: number } | undefined;
};

const parameters = ['-U', 'tester', '-A', 'scram-sha-256', '-E', 'UTF8', '--no-locale', '--no-sync'];
const made = join(import.meta.dirname, '../../../../node_modules/.cache/postgres');

/**
 * Makes the data of a new PostgreSQL in `data` of a folder. `initdb` takes more than a second and always has the same
 * result, so the first result is cached and copied from then on.
 */
function makeNewData(folder: string, initdb: Initdb): void {
  const data = join(folder, 'data');
  const template = templateOf(initdb);
  if (existsSync(template)) return void copyData(template, data, initdb.owner);
  initialise(folder, data, initdb);
  cache(data, template);
}

/** The folder of the cached result. */
function templateOf(initdb: Initdb): string {
  return join(made, nameOf(initdb));
}

/** The result depends on the version, and contains the password. */
function nameOf({ program, password, environment }: Initdb): string {
  const version = execFileSync(program, ['--version'], { env: environment, encoding: 'utf8' });
  return createHash('sha256')
    .update(JSON.stringify([version, parameters, password]))
    .digest('hex')
    .slice(0, 16);
}

function initialise(folder: string, data: string, { program, password, environment, owner }: Initdb): void {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password);
  if (owner !== undefined) chownSync(passwordFile, owner.uid, owner.gid);
  execFileSync(program, ['-D', data, `--pwfile=${passwordFile}`, ...parameters], {
    ...owner,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Appears as a whole or not at all, because other processes may look for it at the same time. */
function cache(data: string, template: string): void {
  const own = `${template}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  try {
    cpSync(data, own, { recursive: true });
    renameSync(own, template);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
}

function copyData(template: string, data: string, owner: Initdb['owner']): void {
  cpSync(template, data, { recursive: true });
  // PostgreSQL starts only if no other user can read the data.
  chmodSync(data, 0o700);
  if (owner === undefined) return;
  const names = readdirSync(data, { recursive: true, encoding: 'utf8' });
  for (const name of ['', ...names]) chownSync(join(data, name), owner.uid, owner.gid);
}
