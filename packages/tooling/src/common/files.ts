import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';

/** Writes a file if its text differs; returns whether it did. */
export function writeChanged(file: string, text: string): boolean {
  if (readIfThere(file) === text) return false;
  writeWhole(file, text);
  return true;
}

/** Writes a file and its folder atomically: no reader sees half of it. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const unfinished = `${file}.${process.pid}.unfinished`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(unfinished, content);
  renameSync(unfinished, file);
}

/** Does work with a temporary folder, and removes it. */
export function withTemporaryFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The text of a file; undefined if it does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The time of the last write to a file (Unix milliseconds); 0 if it does not exist. */
export function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** A program of these tools, such as `commands/docs`: its source here, and what is built from it in the published package. */
export function toolFile(name: string): string {
  return join(import.meta.dirname, '..', `${name}${extname(import.meta.filename)}`);
}
