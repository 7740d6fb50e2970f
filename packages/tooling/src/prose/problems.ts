import { TextlintKernel, type TextlintKernelRule } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import terminology, { getTerms } from 'textlint-rule-terminology';
import { proseOf } from './passages.ts';
import { misspellingsIn } from './spelling.ts';
import { findTerms, readTerms } from './terms.ts';

export type Source = { file: string; source: string };
export type Problem = { file: string; line: number; column: number; message: string };

/** A text of a file without markup, and the offset in the file of each of its characters. */
type Text = Source & { text: string; placeOf: (index: number) => number };

/** What is wrong with the prose of these files, in the order of the text. */
export async function findProblems(sources: Source[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  const texts: Text[] = [];
  const terms = readTerms();
  const add = ({ file, source }: Source, offset: number, message: string): void => {
    problems.push({ file, ...positionIn(source, offset), message });
  };
  for (const source of sources) {
    const prose = proseOf(source.file, source.source);
    const found = await lint(prose.markdown);
    for (const { index, message } of found.messages) add(source, prose.placeOf(index), message);
    for (const { index, text } of found.texts) {
      texts.push({ ...source, text, placeOf: (inText) => prose.placeOf(index + inText) });
    }
  }
  for (const text of texts) {
    for (const { index, found, use, because } of findTerms(text.text, text.file, terms)) {
      add(text, text.placeOf(index), `“${found}”: write ${oneOf(use)}. ${because}`);
    }
  }
  for (const { text, index, word, suggestions } of await misspellingsIn(texts)) {
    const instead = suggestions.length > 0 ? oneOf(suggestions) : 'another word';
    add(
      text,
      text.placeOf(index),
      `“${word}” is not in the dictionary: write ${instead}, or add a name to packages/tooling/src/prose/dictionary.txt.`,
    );
  }
  return problems.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column);
}

/** “a”, “b” or “c”. */
const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });
function oneOf(words: string[]): string {
  return alternatives.format(words.map((word) => `“${word}”`));
}

/** Terms of textlint-rule-terminology that the project writes in another way, that are also commands, or that are also two words. */
const notAdopted = [
  "API['’]?s",
  'back[- ]end(\\w*)',
  'cURL',
  'Docker',
  'file[- ]name(s)?',
  'Git',
  'HTTP[ /]2(?:\\.0)?',
  'ID',
  "id['’]?s",
  'indexes\\b',
  'Jest',
  'lint(?:er|ing)?[ -]?rule(s)?',
  'OpenSSL',
  're[- ]export(s|ing|ed)?',
  'readme(s)?',
  'server ?side',
  'styled ?components',
  'V[ -]?S[ -]?Code',
];
const names = getTerms(true, [], notAdopted);
const kernel = new TextlintKernel();

type Found = { texts: { text: string; index: number }[]; messages: { index: number; message: string }[] };

/** Runs textlint's rule about names, and collects the texts between the markup, the code and the targets of links. */
async function lint(document: string): Promise<Found> {
  const texts: Found['texts'] = [];
  const collect: TextlintKernelRule = {
    ruleId: 'collect',
    rule: ({ Syntax, getSource }) => ({
      [Syntax.Str]: (node) => void texts.push({ text: getSource(node), index: node.range[0] }),
    }),
  };
  const { messages } = await kernel.lintText(document, {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [collect, { ruleId: 'terminology', rule: terminology, options: { defaultTerms: false, terms: names } }],
  });
  return {
    texts,
    messages: messages
      .map(({ range, message }) => ({ index: range[0], message: `${message}.` }))
      // What follows these characters is part of a path, of a media type, or of the name of a module or a variable.
      .filter(({ index }) => !/[/:$]/.test(document.charAt(index - 1))),
  };
}

function positionIn(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
