import ts from 'typescript';
import { blank, isSentence, type Line, linesOf, type Passage } from './passages.ts';

/** Comments, and the sentences in strings. In tests only titles count, because their other strings are data. */
export function passagesOfTypeScript(file: string, source: string): Passage[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const counts = source.includes("from '@jest/globals'") ? isTitle : isMessage;
  const passages: Passage[] = [];
  const literals: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (isText(node) && counts(node)) passages.push(passageOfString(node));
    if (isLiteral(node)) literals.push(node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const sentences = passages.filter((passage) => isSentence(passage.map(({ text }) => text).join('\n')));
  return [...commentsBetween(literals, source), ...sentences];
}

/** What may contain slashes that start no comment. */
function isLiteral(node: ts.Node): boolean {
  const isPartOfTemplate = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  return ts.isLiteralExpression(node) || isPartOfTemplate || ts.isJsxText(node);
}

/** Comment lines that follow each other are one passage, because sentences go over several lines. */
function commentsBetween(literals: ts.Node[], source: string): Passage[] {
  const code = withoutLiterals(literals, source);
  const passages: Passage[] = [];
  let previous: Line[] = [];
  for (const match of code.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)) {
    const text = match[0]
      .replace(/\*\/$/, '')
      .replace(/@[\w-]+ \S+/g, (tag) => 'X'.repeat(tag.length))
      .trimEnd();
    const lines = linesOf(text, match.index, /^\s*(?:\/\*\*?|\/\/|\*)? ?/);
    if (lines[0]?.text.startsWith('biome-ignore')) continue;
    const last = previous.at(-1);
    const continues = last !== undefined && code.slice(last.offset + last.text.length, match.index).trim() === '';
    if (continues && text.startsWith('//')) {
      previous.push(...lines);
    } else {
      previous = lines;
      passages.push(lines);
    }
  }
  return passages;
}

function withoutLiterals(literals: ts.Node[], source: string): string {
  let code = '';
  for (const literal of literals) {
    code += source.slice(code.length, literal.getStart());
    code += blank(source.slice(code.length, literal.end));
  }
  return code + source.slice(code.length);
}

type Text = ts.StringLiteralLike | ts.TemplateExpression | ts.JsxText;

function isText(node: ts.Node): node is Text {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node);
}

/** Whether a string names a test: `test('...')`, `describe('...')`, or the first cell of a row for `test.each`. */
function isTitle(node: Text): boolean {
  const { parent } = node;
  if (ts.isArrayLiteralExpression(parent)) {
    return ts.isArrayLiteralExpression(parent.parent) && parent.elements[0] === node;
  }
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return false;
  return /^(?:test|it|describe)\b/.test(parent.expression.getText());
}

/** A tagged template is code of another language. */
function isMessage(node: Text): boolean {
  return !ts.isTaggedTemplateExpression(node.parent);
}

/** The text of a string without its quotes; values, escapes and HTML tags become placeholders of the same length. */
function passageOfString(node: Text): Passage {
  const start = node.getStart();
  let text = node.getText();
  if (!ts.isJsxText(node)) text = ` ${text.slice(1, -1)} `;
  for (const { expression, literal } of ts.isTemplateExpression(node) ? node.templateSpans : []) {
    const from = node.getText().lastIndexOf('${', expression.getStart() - start);
    const to = literal.getStart() + 1 - start;
    text = `${text.slice(0, from)}${'X'.repeat(to - from)}${text.slice(to)}`;
  }
  const plain = text
    .replaceAll('\\`', ' `')
    .replace(/\\[\s\S]/g, '; ')
    .replace(/<\/?[a-z][^<>]*>/gi, blank);
  return linesOf(plain, start, /^\s*/);
}
