/** Mistakes that compile, planted in an operation: `npm run check` reports each of them, and nothing that looks like one. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkout } from '../../test/checkout.ts';
import { TestProject } from '../../test/project-fixture.ts';
import { root } from '../project.ts';

describe('Biome reports', () => {
  const sharedVariable =
    'Requests share a variable of the module, and servers do not. Store the value in the database.';
  const secret =
    'A secret must not reach a log. The service verifies the header: read caller, or request.context.key in middleware.';
  const clock = 'Tests and sandboxes move the clock. Call clock() instead.';
  const query = 'One query for each item makes long lists slow. Write a storage method that takes all of them.';
  const synchronous = 'Unexpected call to the synchronous function';
  const sql =
    'A value inside SQL can change the statement. Write a placeholder, and pass the value when the statement runs.';
  const mistakes: [code: string, message: string][] = [
    ['export function log() { console.info(1); }', "Don't use console."],
    ['export const log = (request) => log.info(request.headers.authorization);', secret],
    ["export const log = ({ header }) => log.info(header['Authorization']);", secret],
    ["export const log = (request) => log.info(request.get('authorization'));", secret],
    ['export function log(request) { const { authorization } = request.headers; log.info(authorization); }', secret],
    ['export const log = (request) => request.context.log.info({ headers: request.headers });', secret],
    ["export const log = ({ headers }) => log.warn({ headers }, 'refused');", secret],
    ['export async function list({ storage }) { for (const id of ids) await storage.findShelf(id); }', query],
    ['export async function list(call) { while (left()) await call.storage.findShelf(1); }', query],
    ['export const list = ({ storage }) => Promise.all(ids.map((id) => storage.findShelf(id)));', query],
    ['let count = 0; export function add() { count += 1; }', sharedVariable],
    ['const names: string[] = []; export function add() { names.push(name); }', sharedVariable],
    ['const shelves = new Map(); export const add = (id) => shelves.set(id, 1);', sharedVariable],
    ['const shelves = {}; export function add(id) { shelves[id] = 1; }', sharedVariable],
    ['export const hash = () => pbkdf2Sync(password, salt, 1, 1, hash);', synchronous],
    ['export const read = () => fs.readFileSync(file);', synchronous],
    ['export const at = () => Date.now();', clock],
    ['export const at = () => new Date().toISOString();', clock],
    ["export const find = (id) => database.exec(`DELETE FROM books WHERE title = '#{id}'`);", sql],
    ['export const find = (id) => send(`SELECT title FROM books\n WHERE id = #{id}`);', sql],
    ["export const find = (id) => send('SELECT title FROM books WHERE id = ' + id);", sql],
    ['export function find(id) { let text = all; text += ` WHERE id = #{id}`; return send(text); }', sql],
    ["export const condition = (title) => `title LIKE '%#{title}%'`;", sql],
  ];
  const correct = [
    'export const at = (clock) => new Date(clock());',
    'export const list = async ({ storage }) => (await storage.findShelves(ids)).map(toShelf);',
    'export async function list({ storage }) { for (const shelf of await storage.listShelves()) use(shelf); }',
    'export async function job(storage) { for (;;) await storage.transaction((transaction) => end(transaction)); }',
    'export async function receive({ body, storage }) { for await (const book of body) await storage.addBook(book); }',
    'const names = []; export function find(id) { const found = []; found.push(names[id]); return found; }',
    'export const find = (columns, table, where) => `SELECT #{columns} FROM #{table} WHERE #{where}`;',
    'const text = readFileSync(file); export const read = () => text;',
    "export const headers = (header) => header['Photo-Width'];",
    'export const find = (name) => shelves[name.trim()] ?? others.get(name.trim());',
    "export const log = ({ headers }) => log.info({ agent: headers['user-agent'] }, 'seen');",
  ];
  const { folder, remove } = checkout((file) =>
    /^(\.gitignore|biome\.json|packages\/tooling\/src\/checks\/)/.test(file),
  );
  const found = new Map<string, string[]>();

  beforeAll(() => {
    const operations = join(folder, 'packages/server/src/operations');
    mkdirSync(operations, { recursive: true });
    // In this file, Biome would take the templates of the code for mistakes.
    const write = (file: string, code: string) => writeFileSync(join(operations, file), code.replaceAll('#{', '${'));
    for (const [index, [code]] of mistakes.entries()) write(`mistake${index}.ts`, code);
    for (const [index, code] of correct.entries()) write(`correct${index}.ts`, code);
    write('listBooks.test.ts', "test('lists books', async () => { await listBooks(); });");
    write('findBook.test.ts', "test.each([1, 2])('finds book %d', async (id) => { await findBook(id); });");
    write(
      'addBook.test.ts',
      "test.each([1, 2])('adds book %d', async (id) => { expect(await addBook(id)).toBe(id); });",
    );
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const parameters = [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '--diagnostic-level=error'];
    const { stdout } = spawnSync(process.execPath, [...parameters, dirname(operations)], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { diagnostics }: { diagnostics: { message: string; location: { path: string } }[] } = JSON.parse(stdout);
    for (const { message, location } of diagnostics) {
      const file = location.path.replace(/^.*\//, '');
      found.set(file, [...(found.get(file) ?? []), message]);
    }
  });
  afterAll(remove);

  test.each(mistakes.map(([code, message], index) => ({ code, message, index })))('$code', ({ message, index }) => {
    expect(found.get(`mistake${index}.ts`)).toEqual([expect.stringContaining(message)]);
  });

  test('a test without an assertion, and one with a table', () => {
    expect(found.get('listBooks.test.ts')).toEqual(['Test callback is missing an expect() assertion.']);
    expect(found.get('findBook.test.ts')).toEqual(['This test checks nothing. Compare the result with expect().']);
    expect(found.get('addBook.test.ts')).toBeUndefined();
  });

  test.each(correct.map((code, index) => ({ code, index })))('nothing in $code', ({ index }) => {
    expect(found.get(`correct${index}.ts`)).toBeUndefined();
  });
});

describe('the check of promises', () => {
  const forgotten = 'this promise is not awaited. Await it, return it, or discard it with void.';
  const waiting = 'other writers wait for this. With x-transaction: own in the contract, fetch outside transaction(…).';
  const mistakes: [code: string, message: string][] = [
    ['({ storage }: Call<Writer>) => { storage.addNote(1); }', forgotten],
    ['async ({ storage }: Call<Writer>) => { await fetch(await storage.addNote(1)); }', waiting],
    ['async (storage: Writer) => { for (const id of [1, 2]) await fetch(id); }', waiting],
    ['({ transaction }: Own) => transaction(async () => fetch(1))', waiting],
  ];
  const correct = [
    'async ({ storage }: Call<Writer>) => { await storage.addNote(1); }',
    '({ storage }: Call<Writer>) => { return storage.addNote(1).then(() => {}); }',
    '({ storage }: Call<Writer>) => { void storage.addNote(1); }',
    '({ storage }: Call<Writer>) => { storage.addNote(1).catch(() => {}); }',
    'async ({ storage }: Call<Reader>) => fetch(await storage.findNote(1))',
    'async ({ transaction }: Own) => { await fetch(1); await transaction((storage) => storage.addNote(1)); }',
  ];
  const operations = 'packages/field-server/src/operations';
  const fileOf = (code: string) => `${operations}/${[...mistakes.map(([one]) => one), ...correct].indexOf(code)}.ts`;
  const project = new TestProject({
    'tsconfig.json': '{ "compilerOptions": { "lib": ["es2024"], "types": [] }, "include": ["packages"] }',
    [`${operations}/types.d.ts`]: `
      interface Reader { findNote<Note>(id: Note): Promise<Note> }
      interface Writer extends Reader { addNote<Note>(note: Note): Promise<Note> }
      type Call<Storage> = { storage: Storage };
      type Own = Call<Reader> & { transaction: <Value>(work: (storage: Writer) => Promise<Value>) => Promise<Value> };
      declare function fetch(url: number): Promise<number>;`,
  });
  let lines: string[] = [];

  beforeAll(() => {
    for (const code of [...mistakes.map(([one]) => one), ...correct]) {
      project.write({ [fileOf(code)]: `export const run = ${code};` });
    }
    const program = join(import.meta.dirname, 'promises.ts');
    const { status, stderr } = spawnSync(process.execPath, [program], { cwd: project.folder, encoding: 'utf8' });
    lines = [`exit code ${status}`, ...stderr.trim().split('\n')];
  });
  afterAll(() => project.remove());

  test.each(mistakes)('reports %s', (code, message) => {
    const [found = '', ...others] = lines.filter((line) => line.startsWith(`${fileOf(code)}:1:`));
    expect(found.replace(/^.*?:1:\d+: /, '')).toBe(message);
    expect(others).toEqual([]);
    expect(lines[0]).toBe('exit code 1');
  });

  test.each(correct)('does not report %s', (code) => {
    expect(lines.filter((line) => line.startsWith(fileOf(code)))).toEqual([]);
  });
});

describe('the check of the storage', () => {
  const storage = 'packages/server/src/operations/storage';
  const first = {
    [`${storage}/migrations/sqlite/0001-start.sql`]: '',
    [`${storage}/migrations/postgres/0001-start.sql`]: '',
  };
  const table = { [`${storage}/notes.ts`]: "const sql = statements('notes', {});", [`${storage}/dialect.ts`]: '' };
  const tests = { [`${storage}/store.test.ts`]: "import { describeNotes } from './suite/notes.ts';" };

  test.each([
    ['a table with tests, and migrations of both engines', {}, ''],
    [
      'an early migration of one engine',
      {
        [`${storage}/migrations/sqlite/0002-notes.sql`]: '',
        [`${storage}/migrations/sqlite/0003-tags.sql`]: '',
        [`${storage}/migrations/postgres/0003-tags.sql`]: '',
      },
      '',
    ],
    [
      'a new migration of one engine',
      { [`${storage}/migrations/postgres/0002-notes.sql`]: '' },
      `${storage}/migrations/sqlite/0002-notes.sql is missing. Write the same change for this engine, or a comment that says why it needs none.\n`,
    ],
    [
      'a table without tests',
      { [`${storage}/shelves.ts`]: "const sql = statements('shelves', {});" },
      `${storage}/store.test.ts has no ./suite/shelves.ts. Test the methods of shelves.ts there, on both engines.\n`,
    ],
  ])('%s', (_what, files, stderr) => {
    const project = new TestProject({ ...first, ...table, ...tests, ...files });
    const program = join(root, 'packages/server/test/check-storage.ts');
    const run = spawnSync(process.execPath, [program], { cwd: project.folder, encoding: 'utf8' });
    project.remove();
    expect(run).toMatchObject({ status: stderr === '' ? 0 : 1, stderr });
  });
});
