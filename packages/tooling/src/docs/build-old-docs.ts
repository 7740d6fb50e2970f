import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { changedAt, toolFile } from '../common/files.ts';
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

/**
 * Builds the docs if they are old, in a separate process of lower priority, so that it does not delay requests. With the lowest one, a
 * busy machine would delay the docs by minutes.
 */
export function buildOldDocs(): void {
  if (!areDocsOld()) return;
  const build = spawn(process.execPath, [toolFile('commands/docs'), '--without-client'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  build.on('exit', (code) => {
    if (code !== 0) console.error('The docs could not be built. To see why, run: npm run docs');
  });
  if (build.pid !== undefined) setPriority(build.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  build.unref();
}
