import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { limits } from '@animal-store/contract';
import { CsvError, type Info, parse } from 'csv-parse';
import { codeOf, ImportError } from '../exit.ts';
import { columnsOf } from './columns.ts';

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

/**
 * The text of a UTF-8 file in pieces, without a byte order mark, and with `\n` as line ending.
 *
 * @throws ImportError if the file cannot be read or is not UTF-8
 */
export async function* readText(file: string): AsyncGenerator<string, void> {
  // Fatal, because a name in another encoding would be added with � in it.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held = '';
  try {
    for await (const bytes of createReadStream(file)) {
      const text = held + decoder.decode(bytes, { stream: true });
      // The \n after this \r may be in the next piece.
      held = text.endsWith('\r') ? '\r' : '';
      yield withLineFeeds(text.slice(0, text.length - held.length));
    }
    yield withLineFeeds(held + decoder.decode());
  } catch (error) {
    throw readError(file, error);
  }
}

function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** Explains to the user why a file cannot be read. */
export function readError(file: string, error: unknown): unknown {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `The file ${resolve(file)} does not exist.`,
    EISDIR: `${file} is a folder. Pass the name of a CSV file.`,
    EACCES: `You are not allowed to read ${file}.`,
    ERR_ENCODING_INVALID_ENCODED_DATA: `${file} is not UTF-8. Save it as "CSV UTF-8".`,
  };
  const reason = reasons[codeOf(error) ?? ''];
  return reason === undefined ? error : new ImportError('notBegun', reason, { cause: error });
}
