/**
 * node packages/tooling/src/prose/check.ts [FILE ...]: checks the spelling, the terms and the idioms in the prose of these files, or of the whole
 * project. Prints file, line and column, the text, and a suggestion; nothing if it finds nothing.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { root } from '../project.ts';
import { cleanFiles } from './clean-files.ts';

const patterns = ['**/*.{md,ts,tsx,cts,mts,js,mjs,yaml,yml}', '.changeset/*.md', '.github/**/*.yml'];
/** Generated and recorded files, and released texts, which no longer change. A file may also begin with the comment `Not prose`. */
const skippedFolders = /(?:^|\/)(?:node_modules|dist|data|coverage|generated|releases|performance)$/;
const skippedFiles = new Set([
  'pnpm-lock.yaml',
  // Words to avoid.
  'packages/tooling/src/prose/terms.yaml',
  'packages/tooling/src/prose/check.ci.test.ts',
  // Words that readers type into the search box.
  'packages/tooling/src/docs/search/synonyms.ts',
]);

const named = process.argv.slice(2).map((file) => relative(root, resolve(file)));
const sources = (named.length > 0 ? named : writtenFiles())
  .map((file) => ({ file, source: readFileSync(resolve(root, file), 'utf8') }))
  .filter(({ source }) => !/^(?:<!--|\/\/|\/\*\*?) ?(?:Generated|Not prose)/.test(source));

const clean = cleanFiles(join(root, 'node_modules/.cache/prose.txt'));
const changed = named.length > 0 ? sources : sources.filter((one) => !clean.has(one));
if (changed.length > 0) {
  // The libraries take a second to load.
  const { findProblems } = await import('./problems.ts');
  const problems = await findProblems(changed);
  for (const { file, line, column, message } of problems) console.error(`${file}:${line}:${column}: ${message}`);
  const withProblems = new Set(problems.map(({ file }) => file));
  if (named.length === 0) clean.save(sources.filter(({ file }) => !withProblems.has(file)));
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function writtenFiles(): string[] {
  const found = globSync(patterns, { cwd: root, exclude: (path) => skippedFolders.test(path) });
  return found.filter((file) => !skippedFiles.has(file) && !file.endsWith('CHANGELOG.md'));
}
