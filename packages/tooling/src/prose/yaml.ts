import { CST, Lexer, parseDocument, visit } from 'yaml';
import { isSentence, linesOf, type Passage } from './passages.ts';

/** The sentences among the values, and the comments. */
export function passagesOfYaml(source: string): Passage[] {
  const passages: Passage[] = [];
  visit(parseDocument(source, { logLevel: 'silent' }), {
    Scalar(key, { value, range }) {
      if (key === 'key' || typeof value !== 'string' || !range || !isSentence(value)) return;
      passages.push(passageOfScalar(source.slice(range[0], range[1]), range[0]));
    },
  });
  return [...passages, ...comments(source)];
}

/** The text of a value without its quotes, or without the line that starts a block. */
function passageOfScalar(text: string, offset: number): Passage {
  const start = /^[|>]/.test(text) ? text.indexOf('\n') + 1 : 0;
  return linesOf(text.slice(start).replace(/^["']|["']$/g, ' '), offset + start, /^\s*/);
}

/** Tokens that mark structure and are not in the source. */
const marks = new Set<string>([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** The lexer is the part of the parser that knows a comment from a `#` in a text. */
function comments(source: string): Passage[] {
  const passages: Passage[] = [];
  let offset = 0;
  let end: number | undefined;
  for (const token of new Lexer().lex(source)) {
    if (marks.has(token)) continue;
    if (token.startsWith('#')) {
      const lines = linesOf(token, offset, /^#+ ?/);
      const continues = end !== undefined && source.slice(end, offset).trim() === '';
      if (continues) passages.at(-1)?.push(...lines);
      else passages.push(lines);
      end = offset + token.length;
    }
    offset += token.length;
  }
  return passages;
}
