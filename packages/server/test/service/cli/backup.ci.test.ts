import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../testing/src/child.ts';
import { openStorage } from '../../../src/operations/storage/index.ts';
import { startTestServer, temporaryDatabase } from '../../harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'animal-store-backup-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function backup(databaseUrl: string, ...parameters: string[]) {
  const program = join(import.meta.dirname, '../../../src/main.ts');
  const child = spawn(process.execPath, [program, 'backup', ...parameters], {
    cwd: folder,
    env: { DATABASE_URL: databaseUrl },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

test('a backup made while animals are added contains the first of them, without a gap', async () => {
  const database = await temporaryDatabase();
  const server = await startTestServer({ databaseUrl: database.url });
  let goesOn = true;
  let acknowledged = 0;
  const adding = (async () => {
    for (; goesOn; acknowledged += 1)
      await server.call('createPet', { body: { name: `pet ${acknowledged + 1}`, categoryId: 1 } });
  })();
  await eventually(
    () => acknowledged >= 20,
    () => `${acknowledged} animals were added.`,
  );
  const before = acknowledged;
  const { code, output } = await backup(database.url, 'copy.db');
  goesOn = false;
  await adding;
  await server.stop();
  await database.remove();
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^copy\.db: \d+ rows/) });
  // Only the owner can read it, and it needs no further files such as a write-ahead log.
  expect(statSync(join(folder, 'copy.db')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['copy.db']);

  await using restored = await startTestServer({ databaseUrl: `sqlite:${join(folder, 'copy.db')}` });
  const { body } = await restored.call('listPets', { key: server.key, query: { limit: 100 } });
  const names: string[] = body.map(({ name }: { name: string }) => name);
  expect(names).toEqual(names.map((_, index) => `pet ${index + 1}`));
  expect(names.length).toBeGreaterThanOrEqual(Math.min(before, 100));
});

test('a backup contains tables and columns that its code does not name', async () => {
  const database = await temporaryDatabase();
  await (await openStorage(database.url)).close();
  using changed = new DatabaseSync(database.path);
  changed.exec(`ALTER TABLE pets ADD COLUMN colour TEXT; CREATE TABLE visits (day TEXT) STRICT;
    INSERT INTO pets (id, name, category_id) VALUES (7, 'Rex', 1); DELETE FROM pets; INSERT INTO pets (name, category_id, colour)
    VALUES ('Mia', 1, 'black'); INSERT INTO visits VALUES ('2026-12-01')`);
  const rows = 2 + Number(changed.prepare('SELECT count(*) AS rows FROM migrations').get()?.['rows']);
  expect(await backup(database.url, 'planted.db')).toEqual({ code: 0, output: `planted.db: ${rows} rows.\n` });
  using copied = new DatabaseSync(join(folder, 'planted.db'));
  const sql = 'SELECT id, colour, day FROM pets, visits';
  expect(copied.prepare(sql).get()).toEqual(changed.prepare(sql).get());
  copied.exec("DELETE FROM pets; INSERT INTO pets (name, category_id) VALUES ('New', 1)");
  expect(copied.prepare('SELECT id FROM pets').get()).toMatchObject({ id: 9 });
  await database.remove();
});

describe('a backup is refused, with the reason,', () => {
  test.each([
    ['sqlite:nowhere.db', ['new.db'], 1, 'The database nowhere.db does not exist'],
    ['sqlite::memory:', ['new.db'], 1, 'ends with its process'],
    ['postgres://store@db/animals', ['new.db'], 1, 'pg_dump'],
    ['mysql://store:secret@db/animals', ['new.db'], 2, 'sqlite:PATH'],
    ['sqlite:copy.db', ['nowhere/new.db'], 1, 'The folder nowhere does not exist. Create it first.'],
    ['sqlite:store.db', [], 2, 'Pass one file name'],
    ['sqlite:store.db', ['a.db', 'b.db'], 2, 'Pass one file name'],
    ['sqlite:store.db', ['--all'], 2, 'Usage'],
  ])('%s to %j', async (url, parameters, code, reason) => {
    const outcome = await backup(url, ...parameters);
    expect(outcome).toEqual({ code, output: expect.stringContaining(reason) });
    expect(outcome.output).not.toContain('secret');
  });

  test('for a file that is not a database, and no files are left behind', async () => {
    writeFileSync(join(folder, 'text.db'), 'This is not a database. '.repeat(500));
    const { code, output } = await backup('sqlite:text.db', 'new.db');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('not a database') });
    expect(readdirSync(folder).filter((name) => name.startsWith('new'))).toEqual([]);
  });

  test('if the target file exists', async () => {
    writeFileSync(join(folder, 'earlier.db'), 'the only copy');
    const { code, output } = await backup('sqlite:text.db', 'earlier.db');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('already exists') });
    expect(existsSync(join(folder, 'earlier.db.partial'))).toBe(false);
  });
});

test('--help prints the usage', async () => {
  const { code, output } = await backup('sqlite:store.db', '--help');
  expect(code).toBe(0);
  expect(output).toContain('npm run --silent backup -- FILE');
});
