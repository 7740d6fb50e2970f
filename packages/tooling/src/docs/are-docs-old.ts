import { globSync } from 'node:fs';
import { join } from 'node:path';
import { changedAt } from '../common/files.ts';
import { root } from '../project.ts';

/** The sources of the docs, relative to the project folder. */
const sources = [
  'openapi.yaml',
  'CHANGELOG.md',
  '.redocly.yaml',
  'contract-first.yaml',
  'docs/guides/*.md',
  'packages/client/{README.md,docs/*.md}',
];

/** Whether the docs of a project are missing, or older than one of their sources or of the tools that build them. */
export function areDocsOld(project = root, tools = import.meta.dirname): boolean {
  const builtAt = changedAt(join(project, 'dist/docs/index.html'));
  const files = [
    ...globSync(sources, { cwd: project }).map((file) => join(project, file)),
    ...globSync('**/*.{ts,css}', { cwd: tools, exclude: ['**/*.test.ts'] }).map((file) => join(tools, file)),
  ];
  return builtAt === 0 || files.some((file) => changedAt(file) > builtAt);
}
