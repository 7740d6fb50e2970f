import { existsSync, readFileSync } from 'node:fs';
import { gt, valid } from 'semver';
import { parse, stringify } from 'yaml';
import { dig } from '../lint/redocly.ts';
import type { Change } from './change.ts';

/** A breaking change that is released all the same. */
export type Exception = {
  /** The change, by where it stands and what the check says of it. */
  at: string;
  change: string;
  /** Why callers are not harmed, or how they were told. */
  reason: string;
  /** The release that brings it. */
  release: string;
};

export type ExceptedChange = { change: Change; exception: Exception };

const keys = ['at', 'change', 'reason', 'release'] as const;

/** The exceptions of a file; none without it. Throws when one of them is not complete. */
export function readExceptions(file: string): Exception[] {
  const list: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8')) : null;
  if (list === null) return [];
  if (!Array.isArray(list)) throw new Error(`${file} is no list.`);
  return list.map((entry: unknown, index) => {
    const [at, change, reason, release] = keys.map((key) => textOf(entry, key));
    if (at === undefined || change === undefined || reason === undefined || valid(release) === null) {
      const missing = reason === undefined && at !== undefined ? ' Write the reason, for callers to read.' : '';
      throw new Error(
        `${file}: entry ${index + 1} needs ${keys.join(', ')}, each as text; release like 1.1.0.${missing}`,
      );
    }
    return { at, change, reason, release: String(release) };
  });
}

/** Those of a release to come. The others are kept as a record of what was released by exception. */
export function openExceptions(exceptions: readonly Exception[], released: string): Exception[] {
  return exceptions.filter(({ release }) => gt(release, released));
}

export function isFor(exception: Exception, { at, says }: Change): boolean {
  return exception.at === at && exception.change === says;
}

/** The entry that would except a change, as YAML, its reason still to be written. */
export function exceptionDraft({ at, says }: Change, release: string): string {
  return stringify([{ at, change: says, reason: null, release }], { lineWidth: 0, nullStr: '' });
}

function textOf(entry: unknown, key: string): string | undefined {
  const value = dig(entry, key);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
