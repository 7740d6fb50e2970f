import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createPet } from '../../../packages/server/src/operations/createPet.ts';
import { operations } from '../../../packages/server/src/operations/index.ts';
import { startTestServer, type TestServer } from '../../../packages/server/test/harness.ts';
import { invalidRequest } from '../../../packages/service/src/openapi/api-error.ts';
import { csvOf, namesOf, petsIn, type Workplace, workplace } from './fixture.ts';

let server: TestServer;
let place: Workplace;
beforeAll(async () => {
  server = await startTestServer({ databaseUrl: 'sqlite::memory:' });
});
afterAll(() => server.stop());
beforeEach(() => {
  place = workplace();
});
afterEach(() => place[Symbol.dispose]());

/** Imports a file into the server. Returns the result, and the animals that it added. */
async function importInto(file: string, parameters: string[] = [], key = server.key) {
  const before = (await petsIn(server.url, server.key)).length;
  const environment = { ANIMAL_STORE_KEY: key };
  const ended = await place.run([file, '--base-url', `${server.url}/v1`, ...parameters], environment);
  const pets = (await petsIn(server.url, server.key)).slice(before);
  return { ...ended, pets, names: pets.map(({ name }) => name).toSorted() };
}

test('a whole file is imported, and a second run adds nothing', async () => {
  const file = place.file('animals.csv', csvOf(50));
  const first = await importInto(file);
  expect(first.names).toEqual(namesOf(50).toSorted());
  expect(first.output).toMatch(/100 % +50 of 50/);
  expect(first.output).toMatch(/added +50\n/);
  expect(first.code).toBe(0);
  const second = await importInto(file);
  expect(second.names).toEqual([]);
  expect(second.output).toMatch(/already added +50\n/);
  expect(second.code).toBe(0);
});

test('values, quotes, Unicode, a byte order mark and CRLF are read correctly', async () => {
  const longest = '🐈'.repeat(255);
  const rows = [
    'status,name,categoryId',
    'sold,"Hops, ""Sir""",-12',
    `,${longest},3`,
    ' available ,Zoé , 7 ',
    ',,',
    '',
  ];
  const { pets, code } = await importInto(place.file('animals.csv', `\uFEFF${rows.join('\r\n')}`));
  expect(pets.map(({ id, ...pet }) => pet)).toEqual([
    { name: 'Hops, "Sir"', categoryId: -12, status: 'sold' },
    { name: longest, categoryId: 3 },
    { name: 'Zoé ', categoryId: 7, status: 'available' },
  ]);
  expect(code).toBe(0);
});

test('two equal rows are two animals, even after two runs', async () => {
  const file = place.file('twins.csv', 'name,categoryId\nTwin,1\nTwin,1\n');
  expect((await importInto(file)).names).toEqual(['Twin', 'Twin']);
  expect((await importInto(file)).names).toEqual([]);
});

describe('bad rows', () => {
  const content =
    'name,categoryId,status\nGood,1,sold\n"two\nlines",1,\nBad,x,\nBad,1,lost\n,1,\nBad,1,sold,more\nAlso good,2\n';

  test('are all reported with line and reason before anything is sent', async () => {
    const file = place.file('animals.csv', content);
    const { code, output, names } = await importInto(file);
    expect(output).toContain(`${file}:3: name must not contain control characters.`);
    expect(output).toContain(`${file}:5: categoryId must be integer, not "x".`);
    expect(output).toContain(`${file}:6: status must be one of available, pending, sold, not "lost".`);
    expect(output).toContain(`${file}:7: name is required.`);
    expect(output).toContain(`${file}:8: has 1 more value than there are columns`);
    expect(output).toContain('5 of 7 rows are invalid, so nothing was sent.');
    expect(names).toEqual([]);
    expect(code).toBe(1);
  });

  test('can be left out, corrected, and imported later without a duplicate', async () => {
    const file = place.file('animals.csv', content);
    const first = await importInto(file, ['--skip-bad']);
    expect(first.names).toEqual(['Also good', 'Good']);
    expect(first.output).toMatch(/rejected +5\n/);
    expect(first.code).toBe(1);
    place.file('animals.csv', 'name,categoryId,status\nMended,1,sold\nGood,1,sold\nAlso good,2\n');
    const second = await importInto(file);
    expect(second.output).toContain('has changed since');
    expect(second.names).toEqual(['Mended']);
    expect(second.code).toBe(0);
  });
});

test('a row that only the API refuses is reported with its line and the message of the API, and the others are added', async () => {
  const pickyCreatePet: typeof createPet = async (call) =>
    call.body.name === 'Animal 2' ? invalidRequest([{ where: 'body/name', what: 'is taken' }]) : createPet(call);
  await using picky = await startTestServer({
    databaseUrl: 'sqlite::memory:',
    operations: { ...operations, createPet: pickyCreatePet },
  });
  const file = place.file('animals.csv', csvOf(3));
  const environment = { ANIMAL_STORE_KEY: picky.key };
  for (const others of [/added +2\n +rejected +1\n/, /already added +2\n +rejected +1\n/]) {
    const { code, output } = await place.run([file, '--base-url', `${picky.url}/v1`], environment);
    expect(output).toMatch(
      /animals\.csv:3: The request is invalid: body\/name is taken\. \(invalid_request, request .+\)/,
    );
    expect(output).toMatch(others);
    expect(code).toBe(1);
  }
});

describe('the import does not begin', () => {
  test('with a file that is not a CSV file of animals', async () => {
    const { code, output, names } = await importInto(place.file('animals.csv', 'name;categoryId\nRex;3\n'));
    expect(output).toContain('separated by commas');
    expect(output).not.toContain('    at ');
    expect(names).toEqual([]);
    expect(code).toBe(2);
  });

  test('without a file, with a missing file, or with a folder', async () => {
    const environment = { ANIMAL_STORE_KEY: server.key };
    expect(await place.run([], environment)).toMatchObject({
      code: 2,
      output: expect.stringContaining('Pass the name of a CSV file'),
    });
    for (const [path, reason] of [
      ['none.csv', 'does not exist'],
      ['.', 'is a folder'],
    ] as const) {
      expect(await place.run([path], environment)).toMatchObject({ code: 2, output: expect.stringContaining(reason) });
    }
  });

  test('without a key', async () => {
    const { code, output } = await place.run([place.file('animals.csv', csvOf(1))]);
    expect(output).toContain('Set ANIMAL_STORE_KEY');
    expect(code).toBe(2);
  });
});

test('a file without rows is imported at once', async () => {
  expect(await importInto(place.file('none.csv', 'name,categoryId\n'))).toMatchObject({ code: 0, names: [] });
});

test('a refused key stops the import, and the next run is not affected', async () => {
  const file = place.file('animals.csv', csvOf(30));
  const { code, output } = await importInto(file, [], 'as_test_wrong');
  expect(output).toContain('api_key_invalid');
  expect(output).toMatch(/not sent +30\n/);
  expect(code).toBe(3);
  expect((await importInto(file)).output).toMatch(/added +30\n/);
});

test('--help explains the program without a file or a key', async () => {
  const { code, output } = await place.run(['--help']);
  for (const word of ['ANIMAL_STORE_KEY', '--base-url', '--journal', '--skip-bad', '--resend-unsure', '--patience']) {
    expect(output).toContain(word);
  }
  expect(code).toBe(0);
});
