import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** All that is in a folder, each once. `readdirSync` goes through links, and so through the same folder many times. */
export function entriesIn(folder: string): { path: string; entry: Dirent }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    const here = { path, entry };
    return entry.isDirectory() ? [here, ...entriesIn(path)] : [here];
  });
}
