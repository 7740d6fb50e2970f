import { pipeline } from 'node:stream';
import { limits } from '@animal-store/contract';
import { CsvError, type Info, parse } from 'csv-parse';
import { ImportError } from '../exit.ts';
import { columnsOf } from './columns.ts';
import { readText } from './read-text.ts';

/** A row of the file. */
export type Row = {
  /** The line on which it begins; the first line of the file is 1. */
  line: number;
  /** What stands under each column; nothing where the row ends early. */
  values: Partial<Record<string, string>>;
  /** How many values stand behind the last column. */
  surplus: number;
};

type CsvRecord = { record: string[]; info: Info };

/**
 * The rows of a CSV file (RFC 4180) one after the other, without the empty ones; the file is never held as a whole.
 *
 * @throws ImportError when the file cannot be read, is no CSV, or has other columns than an animal
 */
export async function* readRows(file: string): AsyncGenerator<Row, void> {
  let columns: string[] | undefined;
  for await (const { record, info } of recordsOf(file)) {
    if (columns === undefined) {
      columns = columnsOf(record, file);
      continue;
    }
    // The parser counts to the end of a row.
    const line = info.lines - (record.join('').split('\n').length - 1);
    const values = Object.fromEntries(columns.map((column, index) => [column, record[index]]));
    yield { line, values, surplus: Math.max(0, record.length - columns.length) };
  }
  if (columns === undefined)
    throw new ImportError('notBegun', `${file} is empty. Its first line must name the columns.`);
}

async function* recordsOf(file: string): AsyncGenerator<CsvRecord, void> {
  const parser = parse({
    delimiter: ',',
    record_delimiter: '\n',
    info: true,
    // A row with too few or too many values is named with its line, and the others are read.
    relax_column_count: true,
    // Spreadsheets write rows of commas below the last one.
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    // Where a quote is never closed the rest of the file would be one row; none larger than this can be sent.
    max_record_size: limits.bodyBytes,
  });
  // Errors come out of the parser, where the loop below meets them.
  pipeline(readText(file), parser, () => {});
  try {
    yield* parser;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason = `${file} is not a valid CSV file: ${error.message}.`;
    throw new ImportError('notBegun', `${reason} To use " in a value, write "" and put the value in quotes.`);
  }
}
