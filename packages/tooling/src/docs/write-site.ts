import { readdirSync, rmSync } from 'node:fs';
import { join, sep } from 'node:path';
import { writeWhole } from '../common/files.ts';
import { root } from '../project.ts';

/** A file of the docs. */
export type SiteFile = {
  /** The path below the site's root, such as `guides/keys.html`. */
  path: string;
  /** Pages and Markdown may contain `originPlaceholder`. */
  content: string | Uint8Array;
};

/** The folder that the server serves at /docs. */
export const docsFolder = join(root, 'dist/docs');

/** Writes a site, and removes the files of an earlier build that are not in the list. The home page is written last: its age is that of the site. */
export function writeSite(files: readonly SiteFile[], folder = docsFolder): void {
  const isHome = ({ path }: SiteFile) => Number(path === 'index.html');
  const homeLast = files.toSorted((one, other) => isHome(one) - isHome(other));
  for (const { path, content } of homeLast) writeWhole(join(folder, path), content);
  const written = new Set(files.map(({ path }) => path));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = file.slice(folder.length + 1).replaceAll(sep, '/');
    if (entry.isFile() && !written.has(path)) rmSync(file, { force: true });
  }
}
