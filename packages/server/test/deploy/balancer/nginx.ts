import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { operations as facts, type OperationId } from '@animal-store/contract';
import { eventually } from '../../../../testing/src/child.ts';
import { leaveOut } from '../../../../testing/src/left-out.ts';
import { freePort } from '../../../../testing/src/listen.ts';
import { root } from '../../../../tooling/src/project.ts';
import { createStore, type RunningStore, type Store } from '../../faults/store.ts';
import { type CallParts, recordResponse, type TestResponse, urlOf } from '../../harness.ts';

/** An nginx with the project's configuration, for one test. */
export type TestNginx = {
  url: string;
  port: number;
  /** The folder in which nginx looks for the files `server-1.down` and `server-2.down`. */
  state: string;
  /** Its log: a line of JSON for each request. */
  log: () => string;
  /** Makes nginx send no new requests to the first or the second server. */
  takeOutOfRotation: (server: 1 | 2) => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** The path of nginx on this machine. Undefined without one; its tests are then reported as left out. */
export function findNginx(): string | undefined {
  // Debian installs it outside the PATH of users.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const found = folders.map((folder) => join(folder, 'nginx')).find((place) => existsSync(place));
  if (found === undefined) leaveOut('two servers behind nginx', 'install nginx (apt-get install nginx)');
  return found;
}

/** Runs nginx in front of two servers (`host:port`) until the test ends. */
export async function startNginx(executable: string, servers: readonly [string, string]): Promise<TestNginx> {
  const state = mkdtempSync(join(tmpdir(), 'animal-store-nginx-'));
  // If root starts nginx, its workers run as another user.
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
  const takeOutOfRotation = async (server: 1 | 2) => writeFileSync(join(state, `server-${server}.down`), '');
  return {
    url,
    port,
    state,
    takeOutOfRotation,
    log: () => readFileSync(LOG, 'utf8'),
    [Symbol.asyncDispose]: stop,
  };
}

/** The project's configuration, with variables substituted as in the nginx image, which keeps unknown ones. */
function balancerConfiguration(environment: Record<string, string>): string {
  const template = readFileSync(join(root, 'deploy/nginx/nginx.conf.template'), 'utf8');
  return template.replaceAll(/\$\{([A-Z_0-9]+)\}/g, (found, name: string) => environment[name] ?? found);
}

function listens(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}

/** Two servers on one database, and nginx in front of them. */
export type BalancedServers = {
  store: Store;
  servers: [RunningStore, RunningStore];
  balancer: TestNginx;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export type BalancedOptions = {
  /** Settings of both servers. */
  environment: Record<string, string>;
  /** Starts a proxy between nginx and the first server (its port), and returns the port of the proxy. */
  before?: (port: number) => Promise<number>;
};

export async function startBehindNginx(
  nginx: string,
  { environment, before }: BalancedOptions,
): Promise<BalancedServers> {
  const stack = new AsyncDisposableStack();
  const store = stack.use(await createStore());
  const settings = { NODE_ENV: 'production', API_MODE: 'test', ...environment };
  const first = await store.start({ environment: settings });
  const second = await store.start({ environment: settings });
  const port = Number(new URL(first.url).port);
  const hosts = [`127.0.0.1:${(await before?.(port)) ?? port}`, new URL(second.url).host] as const;
  const balancer = stack.use(await startNginx(nginx, hosts));
  return { store, servers: [first, second], balancer, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** The requests that a server answered, from its log. */
export function answered(server: RunningStore): { requestId: string; operation: string; status: number }[] {
  return server
    .output()
    .split('\n')
    .flatMap((line) => (line.includes('"requestId"') ? [JSON.parse(line)] : []));
}

/** Calls an operation through nginx, and checks the server's response against the contract. */
export async function callThrough(
  url: string,
  key: string,
  id: OperationId,
  parts: CallParts = {},
): Promise<TestResponse> {
  const { headers, ...reply } = await send(url, key, id, parts);
  // The only header that nginx always adds.
  headers.delete('server');
  recordResponse(id, reply.status, headers, reply.text);
  return { ...reply, headers };
}

/**
 * The same without the check, because responses of nginx itself lack headers that only the server can set, such as the
 * quota.
 */
export async function send(url: string, key: string, id: OperationId, parts: CallParts = {}): Promise<TestResponse> {
  const { body, headers = {} } = parts;
  const response = await fetch(urlOf(url, id, parts), {
    method: facts[id].method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: new Headers(response.headers), text, body: JSON.parse(text) };
}

/**
 * Sends a request as bytes, with Host and `Connection: close`, and reads until the connection closes.
 *
 * @param rest further headers, each with its line end; then, after an empty line, the body
 */
export function rawExchange(
  port: number,
  line: string,
  rest: string,
): Promise<{ status: number; headers: string; body: string }> {
  const end = rest.includes('\r\n\r\n') ? '' : '\r\n';
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`${line}\r\nHost: 127.0.0.1\r\nConnection: close\r\n${rest}${end}`),
    );
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    // A server that refuses a body may close before all of it is sent. By then the response has arrived.
    socket.on('error', (error) => (received === '' ? reject(error) : undefined));
    socket.on('close', () => {
      const [head = '', ...body] = received.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), headers: `${head}\r\n`, body: body.join('\r\n\r\n') });
    });
  });
}
