import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder of the project that the tools work on: the nearest one with openapi.yaml, from the current folder upwards. */
export const root = projectFolder(process.cwd());

/** @throws Error if no folder above has a contract */
function projectFolder(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'openapi.yaml')) && existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) throw new Error(`There is no openapi.yaml in ${start} or a folder above it.`);
  }
}
