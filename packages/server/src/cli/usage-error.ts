import { unprintable } from '../keys/new-key.ts';

const SHOWN = 60;

/** The arguments are wrong. The message is one line that says what to do instead. */
export class UsageError extends Error {
  override name = 'UsageError';

  static ofValue(option: string, wanted: string, text: string): UsageError {
    return new UsageError(`${option} needs ${wanted}, not ${quote(text)}.`);
  }
}

/** A text as it can be shown on a terminal: in quotes, shortened, and without anything that the terminal would obey. */
export function quote(text: string): string {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return `"${printable(shown)}"`;
}

/** The same text, with what is not to be seen as escapes. */
export function printable(text: string): string {
  const all = new RegExp(unprintable, 'gu');
  return text.replaceAll(all, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
