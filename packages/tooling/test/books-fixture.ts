import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ContractDocument } from '../src/contract/document.ts';

/** The contract of a library of books, which tests of the tools read and change. */
export const booksYaml = readFileSync(join(import.meta.dirname, 'books.yaml'), 'utf8');

export function booksContract(): ContractDocument {
  return parse(booksYaml);
}
