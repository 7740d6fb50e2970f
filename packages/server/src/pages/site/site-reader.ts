import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Delivery, manifestName, parseManifest } from './manifest.ts';

/** The files of a built site, by their paths. Their content stays on the disk. */
export type Site = ReadonlyMap<string, Delivery>;

/**
 * Reads what a folder delivers and keeps it until the site is built anew. A folder without a site is undefined; so the
 * number of sites that are kept is that of the folders with one.
 */
export function createSiteReader(): (folder: string) => Promise<Site | undefined> {
  const kept = new Map<string, { builtAt: string; site: Promise<Site> }>();

  return async (folder) => {
    const file = join(folder, manifestName);
    const builtAt = await versionOf(file);
    if (builtAt === undefined) return undefined;
    const known = kept.get(folder);
    if (known?.builtAt === builtAt) return known.site;
    const site = readFile(file, 'utf8').then(parseManifest);
    kept.set(folder, { builtAt, site });
    return site;
  };
}

/** Differs for every file that takes the place of another, even within one tick of the clock. */
async function versionOf(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found && `${found.mtimeNs} ${found.ino} ${found.size}`;
}
