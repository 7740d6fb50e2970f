import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Delivery, manifestName, parseManifest } from './manifest.ts';

/** The files of a built site, by their paths. Their content stays on the disk. */
export type Site = ReadonlyMap<string, Delivery>;

/** Reads what a folder delivers, and keeps it until the site is built anew. A folder without a site is undefined. */
export function createSiteReader(folder: string): () => Promise<Site | undefined> {
  const file = join(folder, manifestName);
  let kept: { version: string; site: Promise<Site> } | undefined;

  return async () => {
    const version = await versionOf(file);
    if (version === undefined) return undefined;
    if (kept?.version !== version) kept = { version, site: readFile(file, 'utf8').then(parseManifest) };
    return kept.site;
  };
}

/** Differs for every file that takes the place of another, even within one tick of the clock. */
async function versionOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && `${found.mtimeNs} ${found.ino} ${found.size}`;
}
