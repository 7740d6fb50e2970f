import { join } from 'node:path';
import { changedAt } from '../changed-at.ts';
import { releasedVersions } from '../diff/releases.ts';
import { root } from '../root.ts';
import { builtAt } from './delivery/earlier-build.ts';
import { docsFolder } from './delivery/write-site.ts';

/** Whether the site is older than the contract, or that of a release is missing: the current one leads to it. */
export function areDocsOld(): boolean {
  if (builtAt(docsFolder) < changedAt(join(root, 'openapi.yaml'))) return true;
  return [docsFolder, ...releasedVersions().map((version) => join(docsFolder, version))].some(
    (folder) => builtAt(folder) === 0,
  );
}
