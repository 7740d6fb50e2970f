import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Row, readRows } from './read-rows.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-csv-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function rowsOf(content: string | Uint8Array) {
  const file = join(folder, 'animals.csv');
  writeFileSync(file, content);
  const rows: Row[] = [];
  for await (const row of readRows(file)) rows.push(row);
  return rows;
}

describe('the line of a row is the one on which it begins', () => {
  const lines = ['name,categoryId', 'Rex,1', '', '"two', 'lines",2', ',', 'Mia,3'];
  test.each([
    ['\n', 'LF'],
    ['\r\n', 'CRLF'],
    ['\r', 'CR'],
  ])('where lines end with %j (%s)', async (end) => {
    const rows = await rowsOf(lines.join(end));
    expect(rows.map(({ line, values }) => [line, values['name']])).toEqual([
      [2, 'Rex'],
      [4, 'two\nlines'],
      [7, 'Mia'],
    ]);
  });
});

test('CRLF and Unicode that fall on the edge of what is read at once stay whole', async () => {
  // The file is read in pieces of 64 KiB; each row has 16 bytes but the last one.
  const rows = Array.from({ length: 12_000 }, (_, index) => `🐈${String(index).padStart(8, '0')},1`);
  const names = (await rowsOf(`name,categoryId\r\n${rows.join('\r\n')}\r\n`)).map(({ values }) => values['name']);
  expect(names).toEqual(rows.map((row) => row.slice(0, -2)));
});

test('a row that ends early has no value there, one that is too long says so', async () => {
  expect(await rowsOf('name,categoryId,status\nRex,1\nMia,1,sold,a,b\n')).toEqual([
    { line: 2, values: { name: 'Rex', categoryId: '1', status: undefined }, surplus: 0 },
    { line: 3, values: { name: 'Mia', categoryId: '1', status: 'sold' }, surplus: 2 },
  ]);
});

describe('refused is', () => {
  test.each([
    ['an empty file', '', 'is empty'],
    ['a file of empty lines', '\n\n', 'is empty'],
    ['a column that no animal has', 'name,categoryId,colour\n', 'has the unknown column "colour"'],
    ['a column that is named twice', 'name,categoryId,name\n', 'has the column name twice'],
    ['a column too few', 'name,status\n', 'does not have the column categoryId'],
    ['a file with other separators', 'name;categoryId\nRex;3\n', 'separated by commas'],
    ['a quote that is not closed', 'name,categoryId\n"Rex,3\n', 'Quote Not Closed'],
    ['a quote in the middle', 'name,categoryId\nRex "the dog",3\n', 'at line 2'],
    ['a row that no request can carry', `name,categoryId\n"${'x'.repeat(70_000)}",3\n`, 'Max Record Size'],
    ['another encoding', Buffer.from('name,categoryId\nZo\u00e9,3\n', 'latin1'), 'is not UTF-8'],
    [
      'a character that is cut off at the end',
      Buffer.from([...Buffer.from('name,categoryId\n'), 0xc3]),
      'is not UTF-8',
    ],
  ])('%s', async (_, content, reason) => {
    await expect(rowsOf(content)).rejects.toMatchObject({
      name: 'ImportError',
      message: expect.stringContaining(reason),
    });
  });
});
