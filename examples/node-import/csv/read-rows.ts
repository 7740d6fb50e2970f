import { pipeline } from 'node:stream';
import { limits } from '@animal-store/contract';
import { CsvError, type Info, parse } from 'csv-parse';
import { ImportError } from '../exit.ts';
import { columnsOf } from './columns.ts';
import { readText } from './read-text.ts';

/** A row of the file. */
export type Row = {
  /** The number of its first line. The first line of the file is 1. */
  line: number;
  /** The value of each column; absent if the row ends early. */
  values: Partial<Record<string, string>>;
  /** The number of values after the last column. */
  surplus: number;
};

type CsvRecord = { record: string[]; info: Info };

/**
 * The non-empty rows of a CSV file (RFC 4180), one at a time. The file is never in memory as a whole.
 *
 * @throws ImportError if the file cannot be read, is not CSV, or has the wrong columns
 */
export async function* readRows(file: string): AsyncGenerator<Row, void> {
  let columns: string[] | undefined;
  for await (const { record, info } of recordsOf(file)) {
    if (columns === undefined) {
      columns = columnsOf(record, file);
      continue;
    }
    // The parser reports the last line of a row.
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
    // A row with too few or too many values is reported with its line, and the others are read.
    relax_column_count: true,
    // Spreadsheets write rows that contain only commas after the last one.
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    // If a quote is not closed, the rest of the file would be one row. No larger row can be sent.
    max_record_size: limits.bodyBytes,
  });
  // The parser emits errors to the loop below.
  pipeline(readText(file), parser, () => {});
  try {
    yield* parser;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const reason = `${file} is not a valid CSV file: ${error.message}.`;
    throw new ImportError('notBegun', `${reason} To use " in a value, write "" and put the value in quotes.`);
  }
}
