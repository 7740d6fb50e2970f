import { relative } from 'node:path';

/** Ends a command with exit code 1 and the reason. It is a sentence for the user, not a trace. */
export function fail(error: unknown): void {
  console.error(
    isMissingFile(error) ? missing(error.path) : printable(error instanceof Error ? error.message : `${error}`),
  );
  process.exitCode = 1;
}

/** A text with parts of a contract for a terminal: control characters, which could move the cursor or change colours, become escapes. */
export function printable(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

function isMissingFile(error: unknown): error is { path: string } {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT' && 'path' in error;
}

function missing(path: string): string {
  return `${relative('.', path)} is missing. The README of @contract-first/tooling lists the files of a project.`;
}
