import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../../tooling/src/project.ts';

const folder = join(root, 'docs/operate');

/** A block of code: its language, the heading above it, and its text. */
type Block = { heading: string; language: string; code: string };

/**
 * The shell commands below a heading, one text for each block.
 * @throws Error if there are not `count` of them
 */
export function stepsUnder(page: string, heading: string, count: number): string[] {
  return blocksUnder(page, heading, 'sh', count);
}

/**
 * The SQL below a heading, one text for each block.
 * @throws Error if there are not `count` of them
 */
export function sqlUnder(page: string, heading: string, count: number): string[] {
  return blocksUnder(page, heading, 'sql', count);
}

function blocksUnder(page: string, heading: string, language: string, count: number): string[] {
  const found = blocksOf(readFileSync(join(folder, page), 'utf8')).filter(
    (block) => block.heading === heading && block.language === language,
  );
  if (found.length === count) return found.map(({ code }) => code);
  throw new Error(
    `docs/operate/${page} has ${found.length} blocks of ${language} under "${heading}", but the test runs ${count}.`,
  );
}

/** A line in a block that begins with # is a comment, not a heading, so blocks and headings are found together. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  for (const [, title, language = '', code = ''] of text.matchAll(/^#+ ([^\n]*)$|^ *```(\w*)\n(.*?)^ *```$/gms)) {
    if (title === undefined) blocks.push({ heading, language, code });
    else heading = title;
  }
  return blocks;
}
