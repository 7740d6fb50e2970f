import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../root.ts';
import { readIfThere, writeChanged } from '../../write-changed.ts';
import { contentHash } from '../shell/content-hash.ts';

const folder = join(root, 'node_modules/.cache/docs');
/** More than there are releases and saves of a morning. A page has 3 MB. */
const MOST_KEPT = 30;

/** What was made of these inputs with this Redocly, or is made now; kept over runs. */
export function kept(inputs: readonly string[], make: () => string): string {
  const file = join(folder, `${contentHash([redoclyVersion(), ...inputs].join('\0'), 'hex')}.html`);
  const known = readIfThere(file);
  if (known !== undefined) {
    utimesSync(file, new Date(), new Date());
    return known;
  }
  const made = make();
  mkdirSync(folder, { recursive: true });
  writeChanged(file, made);
  forgetOldest();
  return made;
}

function redoclyVersion(): string {
  return readFileSync(join(root, 'scripts/node_modules/@redocly/cli/package.json'), 'utf8');
}

function forgetOldest(): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const usedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newestFirst = files.map((file) => ({ file, at: usedAt(file) })).sort((one, other) => other.at - one.at);
  for (const { file } of newestFirst.slice(MOST_KEPT)) rmSync(file, { force: true });
}
