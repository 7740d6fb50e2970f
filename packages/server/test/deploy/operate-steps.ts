import { spawn } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually, type RunningChild, runNode } from '../../../testing/src/child.ts';
import { leaveOut } from '../../../testing/src/left-out.ts';
import { PASSWORD, startPostgres, type TestPostgres } from '../../../testing/src/postgres/server.ts';
import { root } from '../../../tooling/src/project.ts';
import { installedCheckout } from '../../../tooling/test/checkout.ts';
import { callOperation, type TestResponse } from '../harness.ts';

const folder = join(root, 'docs/operate');

/** A block of code: its language, the heading above it, and its text. */
type Block = { heading: string; language: string; code: string };

/**
 * The shell commands below a heading, one text for each block.
 * @throws Error if there are not `count` of them
 */
export function stepsUnder(page: string, heading: string, count: number): string[] {
  return blocksUnder(page, heading, 'sh', count);
}

/**
 * The SQL below a heading, one text for each block.
 * @throws Error if there are not `count` of them
 */
export function sqlUnder(page: string, heading: string, count: number): string[] {
  return blocksUnder(page, heading, 'sql', count);
}

function blocksUnder(page: string, heading: string, language: string, count: number): string[] {
  const found = blocksOf(readFileSync(join(folder, page), 'utf8')).filter(
    (block) => block.heading === heading && block.language === language,
  );
  if (found.length === count) return found.map(({ code }) => code);
  throw new Error(
    `docs/operate/${page} has ${found.length} blocks of ${language} under "${heading}", but the test runs ${count}.`,
  );
}

/** A line in a block that begins with # is a comment, not a heading, so blocks and headings are found together. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  for (const [, title, language = '', code = ''] of text.matchAll(/^#+ ([^\n]*)$|^ *```(\w*)\n(.*?)^ *```$/gms)) {
    if (title === undefined) blocks.push({ heading, language, code });
    else heading = title;
  }
  return blocks;
}

/** A copy of the project, with servers that run in it. */
export type Workspace = StepContext & {
  run: (steps: string, settings?: Record<string, string>) => Promise<string>;
  start: (settings?: Record<string, string>) => Promise<StartedServer>;
  /** Creates a key with the command. No test exhausts its quota. */
  createKey: () => Promise<string>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

export type StartedServer = RunningChild & ServerCalls;

/** The calls that tests make to a server. */
export type ServerCalls = {
  url: string;
  add: (key: string, name: string) => Promise<TestResponse>;
  names: (key: string) => Promise<string[]>;
  /** The status of a list request with this key. */
  statusFor: (key: string) => Promise<number>;
};

/** @param environment the environment of every command and every server */
export function createWorkspace(environment: Record<string, string> = {}): Workspace {
  const copy = installedCheckout();
  const settings = { NODE_ENV: 'production', DATABASE_URL: 'sqlite:data/animal-store.db', ...environment };
  const place = { folder: copy.folder, environment: settings };
  const servers: RunningChild[] = [];

  async function start(own: Record<string, string> = {}): Promise<StartedServer> {
    const server = runNode(copy.folder, ['packages/server/src/main.ts'], { PORT: '0', ...settings, ...own });
    servers.push(server);
    let hasEnded = false;
    void server.ended.then(() => {
      hasEnded = true;
    });
    const address = () => /API +(http:\S+)\/v1/.exec(server.output())?.[1];
    await eventually(
      () => hasEnded || address() !== undefined,
      () => `It does not listen:\n${server.output()}`,
    );
    if (hasEnded) throw new Error(`The server did not start:\n${server.output()}`);
    return { ...server, ...serverCalls(address() ?? '') };
  }

  const run = (steps: string, settings: Record<string, string> = {}) =>
    runSteps(steps, { ...place, environment: { ...place.environment, ...settings } });
  return {
    ...place,
    run,
    start,
    createKey: async () => {
      const limits = '--per-minute 1000000 --per-day 1000000';
      return (await run(`npm run --silent keys -- create --plan enterprise ${limits}`)).trim();
    },
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) server.kill('SIGKILL');
      await Promise.all(servers.map(({ ended }) => ended));
      copy.remove();
    },
  };
}

export function serverCalls(url: string): ServerCalls {
  const list = (key: string) => callOperation(url, key, 'listPets', { query: 'limit=100' });
  return {
    url,
    add: (key, name) => callOperation(url, key, 'createPet', { body: { name, categoryId: 1 } }),
    names: async (key) => (await list(key)).body.map(({ name }: { name: string }) => name),
    statusFor: async (key) => (await list(key)).status,
  };
}

/** The names of the acknowledged animals in order, which grow while more are added. */
export type AddedAnimals = { acknowledged: string[]; stop: () => Promise<void> };

/** Adds animals one after another until `stop`. Resolves after the first ones. */
export async function addAnimals(server: ServerCalls, key: string): Promise<AddedAnimals> {
  const acknowledged: string[] = [];
  let isRunning = true;
  const adding = (async () => {
    while (isRunning) {
      const name = `pet ${acknowledged.length + 1}`;
      if ((await server.add(key, name)).status === 201) acknowledged.push(name);
    }
  })();
  const stop = async () => {
    isRunning = false;
    await adding;
  };
  await eventually(
    () => acknowledged.length > 20,
    () => 'No animals are added.',
  );
  return { acknowledged, stop };
}

/**
 * Turns the project in a folder into a later version, with one more migration.
 *
 * @param name such as `postgres/*-colour.sql`; its number replaces the star
 */
export function writeMigration({ folder }: StepContext, name: string, sql: string): void {
  const file = join(folder, 'packages/server/src/operations/storage/migrations', name);
  const number = Math.max(...readdirSync(dirname(file)).map((other) => Number.parseInt(other, 10))) + 1;
  writeFileSync(file.replace('*', String(number).padStart(4, '0')), sql);
}

/**
 * The folder of a PostgreSQL that has `pg_dump`, `psql` and a server, all of one version: `pg_dump` refuses a newer
 * server. Undefined without one; its tests are then reported as left out.
 */
export function findPostgresWithTools(what: string): string | undefined {
  const chosen = process.env['POSTGRES_BIN'];
  const usual = globSync(['/usr/lib/postgresql/*/bin', '/opt/homebrew/opt/postgresql@*/bin', '/usr/pgsql-*/bin']);
  const folders = chosen === undefined ? usual.sort().toReversed() : [chosen];
  const found = folders.find((folder) =>
    ['initdb', 'postgres', 'pg_dump', 'psql'].every((program) => existsSync(join(folder, program))),
  );
  if (found === undefined) leaveOut(what, 'install PostgreSQL with its programs (apt-get install postgresql)');
  return found;
}

/** A workspace whose servers are on PostgreSQL, in a database `animals` of the user `store`. */
export type PostgresWorkspace = Workspace & {
  postgres: TestPostgres;
  /** The URL for a user and a database. */
  urlFor: (user: string, password: string, database: string) => string;
};

export const STORE_PASSWORD = 'store';

export async function createPostgresWorkspace(programs: string): Promise<PostgresWorkspace> {
  await using stack = new AsyncDisposableStack();
  const postgres = await startPostgres(programs);
  stack.defer(postgres.remove);
  await postgres.query(`CREATE ROLE store LOGIN PASSWORD '${STORE_PASSWORD}'`);
  await postgres.query('CREATE DATABASE animals OWNER store');
  const urlFor = (user: string, password: string, database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${postgres.port}/${database}`;
  const place = stack.use(
    createWorkspace({
      DATABASE_URL: urlFor('store', STORE_PASSWORD, 'animals'),
      PATH: `${join(process.execPath, '..')}:${programs}:${process.env['PATH']}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(postgres.port),
      PGUSER: 'tester',
      PGPASSWORD: PASSWORD,
    }),
  );
  const all = stack.move();
  return { ...place, postgres, urlFor, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The project folder and the environment in which steps run. */
type StepContext = { folder: string; environment: Record<string, string> };

/** Runs commands as pasted from the page. All must succeed. Resolves to their output. */
async function runSteps(steps: string, { folder, environment }: StepContext): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('sh', ['-e', '-c', steps], {
    cwd: folder,
    env: { HOME, PATH: `${dirname(process.execPath)}:${PATH}`, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += bytes));
  child.stderr.on('data', (bytes) => (stderr += bytes));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  expect({ steps, code, stderr: code === 0 ? '' : stderr }).toEqual({ steps, code: 0, stderr: '' });
  return stdout;
}
