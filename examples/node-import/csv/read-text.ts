import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf, ImportError } from '../exit.ts';

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
