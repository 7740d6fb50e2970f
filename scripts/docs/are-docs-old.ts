import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { changedAt } from '../changed-at.ts';
import { releasesFolder } from '../diff/releases.ts';
import { root } from '../root.ts';
import { builtAt as siteBuiltAt } from './delivery/earlier-build.ts';
import { docsFolder } from './delivery/write-site.ts';
import { guidesFolder } from './guides/read-guides.ts';

/** Whether the docs are not there, or older than something that they are made from. */
export function areDocsOld(): boolean {
  const builtAt = siteBuiltAt(docsFolder);
  return sources().some((file) => changedAt(file) > builtAt) || builtAt === 0;
}

function sources(): string[] {
  const files = ['openapi.yaml', 'CHANGELOG.md', '.redocly.yaml'].map((file) => join(root, file));
  return [...files, ...filesIn(guidesFolder), ...filesIn(releasesFolder), ...filesIn(import.meta.dirname)];
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => join(folder, file));
}
