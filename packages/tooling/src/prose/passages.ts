/**
 * The prose of a file as Markdown, with the place from which each line was taken: a whole guide; the texts and comments of a YAML
 * file; the comments, test titles and messages of a TypeScript file.
 */
import { passagesOfTypeScript } from './typescript.ts';
import { passagesOfYaml } from './yaml.ts';

/** A line of prose, and the offset in its file at which it starts. */
export type Line = { text: string; offset: number };

/** Lines that are read together: a comment, a message or a description. */
export type Passage = Line[];

export type Prose = { markdown: string; placeOf: (offset: number) => number };

export function proseOf(file: string, source: string): Prose {
  if (file.endsWith('.md')) return { markdown: source, placeOf: (offset) => offset };
  return asMarkdown(/\.ya?ml$/.test(file) ? passagesOfYaml(source) : passagesOfTypeScript(file, source));
}

/** One document for all passages of a file, as parsing a document per passage takes much longer. */
function asMarkdown(passages: Passage[]): Prose {
  const starts: { start: number; offset: number }[] = [];
  let markdown = '';
  for (const passage of passages) {
    for (const { text, offset } of passage) {
      starts.push({ start: markdown.length, offset });
      markdown += `${text}\n`;
    }
    markdown += '\n';
  }
  return {
    markdown,
    placeOf: (offset) => {
      const line = starts.findLast(({ start }) => start <= offset);
      return line === undefined ? offset : line.offset + offset - line.start;
    },
  };
}

/** The lines of a part of a file, without what `margin` matches at their start. */
export function linesOf(text: string, offset: number, margin: RegExp): Line[] {
  let start = offset;
  return text.split('\n').map((line) => {
    const width = margin.exec(line)?.[0].length ?? 0;
    const found = { text: line.slice(width), offset: start + width };
    start += line.length + 1;
    return found;
  });
}

/** Whether a text has two words in a row, and is neither SQL nor a program. */
export function isSentence(text: string): boolean {
  const isSql =
    /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|GRANT|SET|COPY|FROM|WHERE|AND|ORDER BY) /.test(text);
  const isProgram = /^\s*\w+(?: = |=")|\bvar\(|\{\s*$/m.test(text);
  return !isSql && !isProgram && /(?:^|[\s(])[A-Za-z][a-z’']*\s+[a-z’']+/.test(text);
}

/** The same number of spaces, with the line breaks kept. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
