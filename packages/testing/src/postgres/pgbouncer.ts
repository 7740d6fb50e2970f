import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../child.ts';
import { freePort } from '../free-port.ts';
import { leaveOut } from '../left-out.ts';

/** PgBouncer does not run as root; `nobody` exists on every system. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);

/** Whether this machine has PgBouncer. If not, its tests are reported as left out. */
export function canHavePgBouncer(): boolean {
  if (program !== undefined) return true;
  leaveOut('PostgreSQL through PgBouncer', 'apt-get install pgbouncer');
  return false;
}

/**
 * Starts PgBouncer in transaction mode, with two connections to the server for each database.
 *
 * @param settings further lines of its configuration
 */
export async function startPgBouncer(
  target: number,
  user: { name: string; password: string },
  settings: string[] = [],
) {
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${user.name}" "${user.password}"\n`);
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${target}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = plain',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'default_pool_size = 2',
    'max_client_conn = 500',
    ...settings,
  ];
  writeFileSync(configuration, `${lines.join('\n')}\n`);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const file of [folder, users, configuration]) chownSync(file, NOBODY.uid, NOBODY.gid);
  const child: ChildProcess = spawn(program ?? '', [configuration], {
    ...(isRoot ? NOBODY : {}),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', (bytes) => {
    output += String(bytes);
  });
  const remove = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  await eventually(
    () => output.includes('process up'),
    () => `PgBouncer did not start:\n${output}`,
  ).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    urlOf: (database: string) =>
      `postgres://${user.name}:${encodeURIComponent(user.password)}@127.0.0.1:${port}/${database}`,
    [Symbol.asyncDispose]: remove,
  };
}
