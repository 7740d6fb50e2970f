import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file where its text is another; true when it was. No reader ever sees half of it. */
export function writeChanged(file: string, text: string): boolean {
  if (readIfThere(file) === text) return false;
  const unfinished = `${file}.${process.pid}.unfinished`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
  return true;
}

/** The text of a file; undefined where there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
