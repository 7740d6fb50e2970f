import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { servers } from '@animal-store/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mintSecret } from '../../service/src/keys/key-format.ts';
import { seeds } from '../src/operations/seeds.ts';
import { startTestServer, temporaryDatabase } from './harness.ts';
import { runToItsEnd, startProcess } from './process.ts';

const run = promisify(execFile);
const zeros = (size: number) => new Uint8Array(size);

test.each([
  ['live', 'test'],
  ['test', 'live'],
] as const)('the 401 of a %s server for a %s key says which server the key belongs to', async (mode, other) => {
  await using server = await startTestServer({ config: { mode } });
  expect(server.key).toMatch(new RegExp(`^as_${mode}_`));
  expect((await server.call('listPets')).status).toBe(200);
  const refused = await server.call('listPets', { key: mintSecret('as', other, zeros) });
  expect([refused.status, refused.body.code]).toEqual([401, 'api_key_invalid']);
  expect(refused.body.message).toBe(
    `This is a ${other} key (as_${other}_…), but this server accepts ${mode} keys only. Send it to ${servers[other]}, or use a ${mode} key (as_${mode}_…).`,
  );
  expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="animal-store", error="invalid_token"');
});

test('a test key is refused after its server has become live, and works again once it is rotated', async () => {
  const database = await temporaryDatabase();
  const before = await startTestServer({ databaseUrl: database.url });
  const { key, secret } = await before.keys.create({ plan: 'business' });
  await before.stop();
  // As in docs/operate/test-servers.md.
  using opened = new DatabaseSync(database.path);
  opened.exec("UPDATE settings SET value = 'live' WHERE name = 'mode'");
  const live = await startTestServer({ databaseUrl: database.url, config: { mode: 'live' } });
  expect((await live.call('listPets', { key: secret })).status).toBe(401);
  const rotated = await live.keys.rotate(key.id, 0);
  expect(rotated.secret).toMatch(/^as_live_/);
  expect((await live.call('listPets', { key: rotated.secret })).status).toBe(200);
  await live.stop();
  await database.remove();
});

describe('commands and servers on one database', () => {
  let database: Awaited<ReturnType<typeof temporaryDatabase>>;
  const command = async (name: string, args: string[], environment: Record<string, string> = {}) => {
    const main = join(import.meta.dirname, '../src/main.ts');
    const env = { PATH: process.env['PATH'] ?? '', DATABASE_URL: database.url, ...environment };
    return run(process.execPath, [main, name, ...args], { env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  };
  const create = (environment?: Record<string, string>) =>
    command('keys', ['create', '--plan', 'free', '--json'], environment).then(({ stdout }) => JSON.parse(stdout).key);

  beforeAll(async () => {
    database = await temporaryDatabase();
  });
  afterAll(() => database.remove());

  test('NODE_ENV and API_MODE decide the mode of new keys until the first start; then the database does', async () => {
    expect(await command('migrate', [])).toMatchObject({ code: 0 });
    expect(await create()).toMatch(/^as_test_/);
    expect(await create({ NODE_ENV: 'production' })).toMatch(/^as_live_/);
    expect(await create({ NODE_ENV: 'production', API_MODE: 'test' })).toMatch(/^as_test_/);
    const server = await startProcess({ DATABASE_URL: database.url, NODE_ENV: 'production' });
    await server.end('SIGTERM');
    expect(await create()).toMatch(/^as_live_/);
  });

  test('a live database is refused by a test server', async () => {
    const { code, output } = await runToItsEnd({ DATABASE_URL: database.url, NODE_ENV: 'development' });
    expect([code, output]).toEqual([1, expect.stringMatching(/^The database belongs to live servers, .+\n$/)]);
  });
});

describe('in development', () => {
  let database: Awaited<ReturnType<typeof temporaryDatabase>>;
  let server: Awaited<ReturnType<typeof startProcess>>;
  beforeAll(async () => {
    database = await temporaryDatabase();
    server = await startProcess({
      DATABASE_URL: database.url,
      NODE_ENV: 'development',
    });
  });
  afterAll(async () => {
    await server.end('SIGKILL');
    await database.remove();
  });
  const names = async () => {
    const line = /^ +(curl .*)$/m.exec(server.output())?.[1] ?? '';
    const { stdout } = await run('sh', ['-c', `${line} --silent`]);
    return JSON.parse(stdout).map(({ name }: { name: string }) => name);
  };
  test('the curl line of the banner lists the animals of the docs, and the next one adds another', async () => {
    expect(await names()).toEqual(seeds.map(({ name }) => name));
    const add = /^ +(curl .* -d .*)$/m.exec(server.output())?.[1] ?? '';
    await run('sh', ['-c', `${add} --silent`]);
    expect(await names()).toHaveLength(seeds.length + 1);
  });
});
