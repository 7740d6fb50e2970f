import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere, writeWhole } from '../common/write-changed.ts';
import { root } from '../project.ts';

type File = { file: string; source: string };

/** The files without findings in the last run, as hashes of their name, their text and everything that the check depends on. */
export function cleanFiles(cache: string): { has: (file: File) => boolean; save: (files: File[]) => void } {
  const ownFiles = readdirSync(import.meta.dirname).map((name) => join(import.meta.dirname, name));
  const check = hash([join(root, 'pnpm-lock.yaml'), ...ownFiles].map((file) => readFileSync(file, 'utf8')).join('\n'));
  const keyOf = ({ file, source }: File): string => hash(`${check}\n${file}\n${source}`);
  const known = new Set(readIfThere(cache)?.split('\n'));
  return {
    has: (file) => known.has(keyOf(file)),
    save: (files) => writeWhole(cache, files.map(keyOf).join('\n')),
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
