import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../../tooling/src/project.ts';

const folder = join(root, 'docs/operate');

/** The pages of docs/operate by their file names. */
export const operatePages: ReadonlyMap<string, string> = new Map(
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
);

/** A block of code: its language, the heading above it, and its text. */
export type Block = { page: string; heading: string; language: string; code: string };

export const operateBlocks: readonly Block[] = [...operatePages].flatMap(([page, text]) => blocksOf(page, text));

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
  const found = operateBlocks.filter(
    (block) => block.page === page && block.heading === heading && block.language === language,
  );
  if (found.length === count) return found.map(({ code }) => code);
  throw new Error(
    `docs/operate/${page} has ${found.length} blocks of ${language} under "${heading}", but the test runs ${count}.`,
  );
}

/** A line in a block that begins with # is a comment, not a heading, so blocks and headings are found together. */
function blocksOf(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  for (const [, title, language = '', code = ''] of text.matchAll(/^#+ ([^\n]*)$|^ *```(\w*)\n(.*?)^ *```$/gms)) {
    if (title === undefined) blocks.push({ page, heading, language, code });
    else heading = title;
  }
  return blocks;
}
