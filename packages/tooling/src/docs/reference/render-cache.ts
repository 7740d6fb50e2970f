import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { redoclyManifest } from '../../common/redocly.ts';
import { readIfThere, writeChanged } from '../../common/write-changed.ts';
import { root } from '../../project.ts';
import { contentHash } from '../shell/content-hash.ts';

const folder = join(root, 'node_modules/.cache/docs');
/** The most results to keep: more than the number of releases and the saves of a few hours. A page has 3 MB. */
const MAX_ENTRIES = 30;

/** The cached result for these inputs and this version of Redocly, or a new one. The cache persists between runs. */
export function cached(inputs: readonly string[], make: () => string): string {
  const file = join(folder, `${contentHash([redoclyVersion(), ...inputs].join('\0'), 'hex')}.html`);
  const known = readIfThere(file);
  if (known !== undefined) {
    utimesSync(file, new Date(), new Date());
    return known;
  }
  const made = make();
  mkdirSync(folder, { recursive: true });
  writeChanged(file, made);
  removeOldest();
  return made;
}

function redoclyVersion(): string {
  return readFileSync(redoclyManifest, 'utf8');
}

function removeOldest(): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const usedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newestFirst = files.map((file) => ({ file, at: usedAt(file) })).sort((one, other) => other.at - one.at);
  for (const { file } of newestFirst.slice(MAX_ENTRIES)) rmSync(file, { force: true });
}
