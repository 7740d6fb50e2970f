import { existsSync, readFileSync } from 'node:fs';
import { gt, valid } from 'semver';
import { parse, stringify } from 'yaml';
import { dig } from '../common/json.ts';
import type { Change } from './change.ts';

/** A breaking change that is released nevertheless. */
export type Exception = {
  /** The change: its JSON pointer, and the message of the check. */
  at: string;
  change: string;
  /** Why callers are not harmed, or how they were informed. */
  reason: string;
  /** What callers have to do, if anything. The changelog shows it. */
  toDo?: string;
  /** The release that contains it. */
  release: string;
};

export type ExceptedChange = { change: Change; exception: Exception };

const keys = ['at', 'change', 'reason', 'release'] as const;

/** The exceptions in a file; none if it does not exist. Throws if one of them is incomplete. */
export function readExceptions(file: string): Exception[] {
  const list: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8')) : null;
  if (list === null) return [];
  if (!Array.isArray(list)) throw new Error(`${file} is not a list.`);
  return list.map((entry: unknown, index) => {
    const [at, change, reason, release] = keys.map((key) => textOf(entry, key));
    if (at === undefined || change === undefined || reason === undefined || valid(release) === null) {
      const missing = reason === undefined && at !== undefined ? ' Write the reason; it appears in the changelog.' : '';
      throw new Error(
        `${file}: entry ${index + 1} needs ${keys.join(', ')}, each as text, with a release such as 1.1.0.${missing}`,
      );
    }
    const toDo = textOf(entry, 'toDo');
    return { at, change, reason, release: String(release), ...(toDo === undefined ? {} : { toDo }) };
  });
}

/** The exceptions for a later release. The others remain as a record. */
export function openExceptions(exceptions: readonly Exception[], released: string): Exception[] {
  return exceptions.filter(({ release }) => gt(release, released));
}

export function isFor(exception: Exception, { at, message }: Change): boolean {
  return exception.at === at && exception.change === message;
}

/** The YAML entry that excepts a change, without its reason. */
export function exceptionDraft({ at, message }: Change, release: string): string {
  return stringify([{ at, change: message, reason: null, release }], { lineWidth: 0, nullStr: '' });
}

function textOf(entry: unknown, key: string): string | undefined {
  const value = dig(entry, key);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
