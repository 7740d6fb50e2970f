import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { checkRow } from './check-row.ts';
import { readRows } from './read-rows.ts';

/** The number of valid and of invalid rows in a file. */
export type FileCheck = { good: number; bad: number };

/** The number of rows between two progress reports. */
const MANY = 100_000;

/**
 * Checks all rows of a file before the first one is sent.
 *
 * @param onBad called for each invalid row
 * @param onChecked called from time to time with the number of checked rows
 * @throws ImportError if the file cannot be read as a CSV file of animals
 */
export async function checkFile(
  file: string,
  onBad: (line: number, problems: readonly string[]) => void,
  onChecked: (rows: number) => void,
): Promise<FileCheck> {
  const check: FileCheck = { good: 0, bad: 0 };
  for await (const row of readRows(file)) {
    const { problems } = checkRow(row);
    check[problems === undefined ? 'good' : 'bad'] += 1;
    if (problems !== undefined) onBad(row.line, problems);
    if ((check.good + check.bad) % MANY === 0) onChecked(check.good + check.bad);
  }
  return check;
}

/** The SHA-256 of a file, as hexadecimal digits. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) hash.update(bytes);
  return hash.digest('hex');
}
