import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Runs `initdb` as the user who runs the tests, or as `nobody` if that is root. */
export type Initdb = {
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
export function makeNewData(folder: string, initdb: Initdb): void {
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
