import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.ts';
import { readIfThere, writeWhole } from '../write-changed.ts';

export type CleanFiles = { has: (source: string) => boolean; save: (sources: string[]) => void };

/** Texts without findings in the last run, as hashes together with everything that the check depends on. */
export function cleanFiles(cache: string): CleanFiles {
  const ownFiles = readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name));
  const check = hash([join(root, 'pnpm-lock.yaml'), ...ownFiles].map((file) => readFileSync(file, 'utf8')).join('\n'));
  const keyOf = (source: string): string => hash(`${check}\n${source}`);
  const known = new Set(readIfThere(cache)?.split('\n'));
  return {
    has: (source) => known.has(keyOf(source)),
    save: (sources) => writeWhole(cache, sources.map(keyOf).join('\n')),
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
