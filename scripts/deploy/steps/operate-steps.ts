import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../root.ts';

const operate = readFileSync(join(root, 'docs/operate.md'), 'utf8');

/** The headings of docs/operate.md whose commands the tests run. */
export const triedSections = ['Backup and restore', 'Changing keys and passwords', 'A new version without a pause'];

/** The blocks of commands below a heading of docs/operate.md, up to the next heading. */
export function stepsUnder(heading: string): string[] {
  return blocksIn(textUnder(heading, /^#{1,6} /m), 'sh');
}

/** The blocks of SQL below a heading. */
export function sqlUnder(heading: string): string[] {
  return blocksIn(textUnder(heading, /^#{1,6} /m), 'sql');
}

/** All blocks of commands of a section, including its sub-sections. */
export function stepsOfSection(heading: string): string[] {
  return blocksIn(textUnder(heading, /^## /m), 'sh');
}

function textUnder(heading: string, end: RegExp): string {
  const [, after] = operate.split(new RegExp(`^#{2,3} ${heading}\n`, 'm'));
  if (after === undefined) throw new Error(`docs/operate.md has no heading "${heading}".`);
  // A comment in a block begins like a heading.
  const withoutBlocks = after.replaceAll(/```.*?```/gs, (block) => ' '.repeat(block.length));
  const next = withoutBlocks.search(end);
  return next < 0 ? after : after.slice(0, next);
}

function blocksIn(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code);
}
