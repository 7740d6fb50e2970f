import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spellCheckDocument } from 'cspell-lib';

export type Misspelling<Text> = { text: Text; index: number; word: string; suggestions: string[] };

/** British English, and the words of the field. */
const settings = {
  language: 'en-GB',
  dictionaries: ['networking-terms', 'node', 'typescript', 'npm', 'html', 'css', 'sql', 'docker', 'k8s'],
  ignoreRegExpList: ['XXXX+\\w*', '(?<!\\S)/\\S+'],
  maxNumberOfProblems: 100_000,
  maxDuplicateProblems: 100_000,
  suggestionsTimeout: 2_000,
};

/** Checks all texts in one go, as cspell takes longer to load its dictionaries than to check. */
export async function misspellingsIn<Text extends { text: string }>(texts: Text[]): Promise<Misspelling<Text>[]> {
  if (texts.length === 0) return [];
  const words = readFileSync(join(import.meta.dirname, 'dictionary.txt'), 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const starts: number[] = [];
  let document = '';
  for (const { text } of texts) {
    starts.push(document.length);
    document += `${text}\n\n`;
  }
  const { issues, errors } = await spellCheckDocument(
    { uri: 'prose.txt', text: document, languageId: 'plaintext', locale: 'en-GB' },
    { generateSuggestions: true, numSuggestions: 2, noConfigSearch: true },
    { ...settings, words },
  );
  if (errors !== undefined && errors.length > 0) throw new AggregateError(errors, 'cspell could not check the texts.');
  return issues.flatMap(({ offset, text: word, suggestions = [] }) => {
    const at = starts.findLastIndex((start) => start <= offset);
    const text = texts[at];
    return text === undefined ? [] : [{ text, index: offset - (starts[at] ?? 0), word, suggestions }];
  });
}
