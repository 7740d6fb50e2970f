import { join } from 'node:path';
import { changedAt } from '../changed-at.ts';
import { releasedVersions } from '../diff/releases.ts';
import { root } from '../root.ts';
import { docsFile, docsFolder } from './write-page.ts';

/** Whether the page is older than the contract, or that of a release is missing: the current page leads to it. */
export function areDocsOld(): boolean {
  if (changedAt(docsFile) < changedAt(join(root, 'openapi.yaml'))) return true;
  const pages = [docsFile, ...releasedVersions().map((version) => join(docsFolder, version, 'index.html'))];
  return pages.some((page) => changedAt(page) === 0);
}
