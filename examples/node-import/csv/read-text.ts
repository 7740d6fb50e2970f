import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf, ImportError } from '../exit.ts';

/**
 * The text of a file, piece by piece: UTF-8, without its byte order mark, and with `\n` as the only end of a line.
 *
 * @throws ImportError when the file cannot be read or is not UTF-8
 */
export async function* readText(file: string): AsyncGenerator<string, void> {
  // Fatal, since a name in another encoding would be added with � in it.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held = '';
  try {
    for await (const bytes of createReadStream(file)) {
      const text = held + decoder.decode(bytes, { stream: true });
      // The \n to this \r may come with the next piece.
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

/** Why a file cannot be read, in words for who named it. */
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
