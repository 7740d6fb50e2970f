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

describe('the line number of a row is that of its first line', () => {
  const lines = ['name,categoryId', 'Rex,1', '', '"two', 'lines",2', ',', 'Mia,3'];
  test.each([
    ['\n', 'LF'],
    ['\r\n', 'CRLF'],
    ['\r', 'CR'],
  ])('if lines end with %j (%s)', async (end) => {
    const rows = await rowsOf(lines.join(end));
    expect(rows.map(({ line, values }) => [line, values['name']])).toEqual([
      [2, 'Rex'],
      [4, 'two\nlines'],
      [7, 'Mia'],
    ]);
  });
});

test('CRLF and Unicode characters at the boundary of two chunks are read correctly', async () => {
  // The file is read in chunks of 64 KiB, and each row except the last one has 16 bytes.
  const rows = Array.from({ length: 12_000 }, (_, index) => `🐈${String(index).padStart(8, '0')},1`);
  const names = (await rowsOf(`name,categoryId\r\n${rows.join('\r\n')}\r\n`)).map(({ values }) => values['name']);
  expect(names).toEqual(rows.map((row) => row.slice(0, -2)));
});

test('a row that ends early lacks the last values, and a row that is too long has surplus values', async () => {
  expect(await rowsOf('name,categoryId,status\nRex,1\nMia,1,sold,a,b\n')).toEqual([
    { line: 2, values: { name: 'Rex', categoryId: '1', status: undefined }, surplus: 0 },
    { line: 3, values: { name: 'Mia', categoryId: '1', status: 'sold' }, surplus: 2 },
  ]);
});

describe('a file is refused if it has', () => {
  test.each([
    ['no content', '', 'is empty'],
    ['only empty lines', '\n\n', 'is empty'],
    ['an unknown column', 'name,categoryId,colour\n', 'has the unknown column "colour"'],
    ['a repeated column', 'name,categoryId,name\n', 'has the column name twice'],
    ['a missing column', 'name,status\n', 'does not have the column categoryId'],
    ['other separators', 'name;categoryId\nRex;3\n', 'separated by commas'],
    ['a quote that is not closed', 'name,categoryId\n"Rex,3\n', 'Quote Not Closed'],
    ['a quote in the middle', 'name,categoryId\nRex "the dog",3\n', 'at line 2'],
    ['a row that is too large for a request', `name,categoryId\n"${'x'.repeat(70_000)}",3\n`, 'Max Record Size'],
    ['another encoding', Buffer.from('name,categoryId\nZo\u00e9,3\n', 'latin1'), 'is not UTF-8'],
    ['a truncated character at the end', Buffer.from([...Buffer.from('name,categoryId\n'), 0xc3]), 'is not UTF-8'],
  ])('%s', async (_, content, reason) => {
    await expect(rowsOf(content)).rejects.toMatchObject({
      name: 'ImportError',
      message: expect.stringContaining(reason),
    });
  });
});
