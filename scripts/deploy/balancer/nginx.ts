import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from '../../root.ts';
import { eventually } from '../../testing/child.ts';
import { freePort } from '../../testing/free-port.ts';
import { leaveOut } from '../../testing/left-out.ts';

/** An nginx of a test's own, with the configuration that is delivered. */
export type TestBalancer = {
  url: string;
  port: number;
  /** The folder in which the files `server-1.down` and `server-2.down` are looked for. */
  state: string;
  /** What it logged: a line of JSON for each request. */
  log: () => string;
  /** Lets no new request go to the first or the second server. */
  takeOut: (server: 1 | 2) => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** The nginx of this machine. Undefined without one; the report of the tests says so then. */
export function findNginx(): string | undefined {
  // Debian keeps it where only administrators look.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const found = folders.map((folder) => join(folder, 'nginx')).find((place) => existsSync(place));
  if (found === undefined) leaveOut('two servers behind nginx', 'install nginx (apt-get install nginx)');
  return found;
}

/** Runs nginx in front of two servers (`host:port`) until the test ends. */
export async function startNginx(executable: string, servers: readonly [string, string]): Promise<TestBalancer> {
  const state = mkdtempSync(join(tmpdir(), 'animal-store-nginx-'));
  // Started by root, its workers run as another user.
  chmodSync(state, 0o755);
  const port = await freePort();
  const file = join(state, 'nginx.conf');
  const [SERVER_1, SERVER_2] = servers;
  const LOG = join(state, 'access.log');
  const settings = { LISTEN: `127.0.0.1:${port}`, SERVER_1, SERVER_2, LOG, STATE: state };
  writeFileSync(file, balancerConfiguration(settings));
  const child = spawn(executable, ['-c', file, '-g', 'daemon off;'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(state, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await eventually(
      () => listens(url),
      () => `nginx does not listen:\n${output}`,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  const takeOut = async (server: 1 | 2) => writeFileSync(join(state, `server-${server}.down`), '');
  return { url, port, state, takeOut, log: () => readFileSync(LOG, 'utf8'), [Symbol.asyncDispose]: stop };
}

/** The delivered configuration, filled in as the nginx image does it: what the environment does not name stays. */
export function balancerConfiguration(environment: Record<string, string>): string {
  const template = readFileSync(join(root, 'deploy/nginx/nginx.conf.template'), 'utf8');
  return template.replaceAll(/\$\{([A-Z_0-9]+)\}/g, (found, name: string) => environment[name] ?? found);
}

function listens(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}
