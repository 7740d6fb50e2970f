import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { changedAt } from '../common/changed-at.ts';
import { root } from '../project.ts';
import { docsFolder, builtAt as siteBuiltAt } from './delivery/write-site.ts';
import { canPackClient, checksumsPath } from './sdk/can-pack.ts';

/** The sources of the docs, relative to the project folder. */
const files = ['openapi.yaml', 'CHANGELOG.md', '.redocly.yaml', 'contract-first.yaml', 'packages/client/README.md'];
const folders = ['docs/guides', 'releases', 'packages/client/docs', 'packages/client/src', 'packages/client-core/src'];

/**
 * Whether the docs of a project are missing, older than one of their sources or of the tools that build them, or lack the client, as those of
 * `npm run dev` and of a first start do.
 */
export function areDocsOld(project = root, tools = dirname(import.meta.dirname)): boolean {
  const built = join(project, relative(root, docsFolder));
  const builtAt = siteBuiltAt(built);
  const sources = [
    ...files.map((file) => join(project, file)),
    ...folders.flatMap((folder) => filesIn(join(project, folder))),
    ...filesIn(join(tools, 'docs')),
  ];
  if (builtAt === 0 || sources.some((file) => changedAt(file) > builtAt)) return true;
  return !existsSync(join(built, checksumsPath)) && canPackClient(project);
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => join(folder, file));
}
