import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { rcompare, valid } from 'semver';
import { root } from '../root.ts';

/** Where the contract of each release is kept, and the exceptions. */
export const releasesFolder = join(root, 'releases');

/** The versions that were released, the newest first. */
export function releasedVersions(folder = releasesFolder): string[] {
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).map((file) => /^openapi-(.+)\.yaml$/.exec(file)?.[1] ?? '');
  return versions.filter((version) => valid(version) !== null).sort(rcompare);
}

/** The file of a released contract. */
export function releaseFile(version: string, folder = releasesFolder): string {
  return join(folder, `openapi-${version}.yaml`);
}
