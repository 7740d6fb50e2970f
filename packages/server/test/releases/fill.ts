/**
 * Keeps a database of a release (1.2.0 or newer), of each engine, for released-databases.ci.test.ts:
 *
 *     POSTGRES_BIN=/usr/lib/postgresql/15/bin node packages/server/test/releases/fill.ts CHECKOUT
 *
 * CHECKOUT is a folder with the release in which `npm start` has run. The databases are filled by its own server and commands.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startPostgres } from '../../../testing/src/postgres/server.ts';

const checkout = resolve(process.argv[2] ?? '');
const server = join(checkout, 'packages/server/src');
const version: unknown = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).version;
const target = join(import.meta.dirname, 'databases');
const folder = mkdtempSync(join(tmpdir(), 'animal-store-fill-'));

try {
  const file = join(folder, 'store.db');
  const facts = await fill(`sqlite:${file}`);
  copyFileSync(file, join(target, `${version}.db`));
  writeFileSync(join(target, `${version}.db.json`), `${JSON.stringify(facts, null, 2)}\n`);
  await fillPostgres();
} finally {
  rmSync(folder, { recursive: true });
}

async function fillPostgres(): Promise<void> {
  const postgres = await startPostgres();
  try {
    const url = postgres.urlOf('postgres');
    const facts = await fill(url);
    const dump = spawnSync(join(process.env['POSTGRES_BIN'] ?? '', 'pg_dump'), ['--data-only', '--inserts', url], {
      encoding: 'utf8',
    });
    if (dump.status !== 0) throw new Error(dump.stderr);
    // psql alone knows the lines that begin with a backslash; comments and empty lines say nothing.
    writeFileSync(join(target, `${version}.sql`), dump.stdout.replaceAll(/^(\\.*|--.*)?\n/gm, ''));
    writeFileSync(join(target, `${version}.sql.json`), `${JSON.stringify(facts, null, 2)}\n`);
  } finally {
    await postgres.remove();
  }
}

/** Starts the server of the release on an empty database, and uses it. Returns what a later version must find. */
async function fill(databaseUrl: string) {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    NODE_ENV: 'test',
    API_MODE: 'live',
    PORT: '0',
    DATABASE_URL: databaseUrl,
  };
  const child = spawn(process.execPath, [join(server, 'main.ts')], { env: environment, cwd: folder });
  const url = await new Promise<string>((found, failed) => {
    let output = '';
    const look = (bytes: Buffer) => {
      output += bytes;
      const [, address] = /(http:\S+\/v1)/.exec(output) ?? [];
      if (address !== undefined) found(address);
    };
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('exit', () => failed(new Error(`The server ended:\n${output}`)));
  });
  try {
    return await use(url, environment);
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
}

async function use(url: string, environment: NodeJS.ProcessEnv) {
  const keys = (...parameters: string[]) => {
    const run = spawnSync(process.execPath, [join(server, 'main.ts'), 'keys', ...parameters], {
      env: environment,
      cwd: folder,
      encoding: 'utf8',
    });
    if (run.status !== 0) throw new Error(run.stderr);
    return run.stdout;
  };
  const withSecret = (...parameters: string[]) => JSON.parse(keys(...parameters, '--json'));
  const business = withSecret('create', '--plan', 'business', '--name', 'Ann');
  const free = withSecret('create', '--plan', 'free');
  const revoked = withSecret('create', '--plan', 'pro');
  keys('revoke', revoked.id);
  const rotated = withSecret('rotate', free.id, '--overlap', '90d');
  const call = async (secret: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const statuses = ['available', 'pending', 'sold', undefined];
  for (let index = 0; index < 24; index += 1) {
    const status = statuses[index % statuses.length];
    await call(business.key, '/pets', { name: `Rex ${index}`, categoryId: index % 3, status });
  }
  const idempotent = { name: 'Mia', categoryId: 7 };
  const created = await call(business.key, '/pets', idempotent, { 'idempotency-key': 'kept-over-releases' });
  for (const petId of [1, 5, 9]) await call(business.key, '/store/orders', { petId });
  await call(business.key, '/store/orders/1/complete', {});
  await call(business.key, '/store/orders/2/cancel', {});
  const { body: pets } = await call(business.key, '/pets?limit=100');
  const { body: orders } = await call(business.key, '/store/orders?limit=100');
  // Exceeds the quota of the free plan, and goes on until it is banned for it.
  let refusal: { status: number; body: { code?: string } } = { status: 0, body: {} };
  for (let index = 0; index < 500 && refusal.body.code !== 'key_banned'; index += 1) {
    refusal = await call(rotated.key, '/pets?limit=1');
    if (refusal.status === 429) await setTimeout(50);
  }
  return {
    at: new Date().toISOString(),
    secrets: { business: business.key, rotated: rotated.key, old: free.key, revoked: revoked.key },
    keys: { business: business.id, free: free.id, revoked: revoked.id },
    refusal: refusal.body.code,
    idempotent: { request: idempotent, response: created.body },
    pets,
    orders,
  };
}
