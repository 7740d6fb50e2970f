import { dig, keysOf } from '../common/json.ts';
import { resolve } from '../contract/document.ts';
import { type Contract, isBeta, operationsIn, usersOf } from '../contract/parse.ts';
import type { Change } from './change.ts';

export type Contracts = { released: Contract; current: Contract };

/** A change in one line: file and line, the changed part, the operations that use it, and what changed. */
export function lineFor(contracts: Contracts, change: Change): string {
  const { file, document, lineOf } = change.isRemoved ? contracts.released : contracts.current;
  return `${file}:${lineOf(change.at)}: ${placeWithUsers(document, change.at)}: ${change.message}`;
}

/** The changed part with the stable operations that use it, three of them by name. */
export function placeWithUsers(document: unknown, at: string): string {
  const all = at.startsWith('#/components/') ? usersOf(document)(at) : [];
  const users = all.filter(({ operation }) => !isBeta(operation)).map(({ id }) => id);
  const named = users.length > 3 ? `${users.slice(0, 2).join(', ')} and ${users.length - 2} more` : users.join(', ');
  return named === '' ? placeName(document, at) : `${placeName(document, at)} (${named})`;
}

/** A message for a changelog: quoted values become code, so that the `*` of a pattern is not read as emphasis. */
export function inMarkdown(message: string): string {
  return message.replaceAll(/(?<=^|[ (])'([^'`]+)'(?=[ ,.)]|$)/g, '`$1`');
}

/** A readable name for the part at a JSON pointer: `listNotes, status 200, header Link`, `Note.folderId`. */
function placeName(document: unknown, pointer: string): string {
  const keys = keysOf(pointer);
  const [first = '', second = '', third = ''] = keys;
  if (first === 'components') {
    const label = second === 'schemas' ? third : `${second.replace(/s$/, '')} ${third}`;
    return nameFrom(document, keys, 3, label);
  }
  if (first !== 'paths' && first !== 'webhooks') return keys.join('.') || 'document';
  const operation = operationsIn(document).find(
    ({ section, path, method }) => section === first && path === second && method === third,
  );
  return nameFrom(document, keys, operation === undefined ? 2 : 3, operation?.id ?? second);
}

/** Goes down from the part that `label` names, and adds the names that a reader of the contract knows. */
function nameFrom(document: unknown, keys: readonly string[], from: number, label: string): string {
  let name = label;
  for (let index = from; index < keys.length; index += 1) {
    const [key = '', next = ''] = keys.slice(index, index + 2);
    if (key === 'items') name += '[]';
    if (key === 'requestBody') name += ', body';
    if (named[key] === undefined || next === '') continue;
    if (key === 'parameters') {
      const parameter = resolve(document, dig(document, ...keys.slice(0, index + 2)));
      name += `, parameter ${dig(parameter, 'name') ?? next}`;
    } else if (key !== 'content' || next !== 'application/json') name += `${named[key]}${next}`;
    index += 1;
  }
  return name;
}

/** What precedes the name of a part. The media type JSON is not named, because it is the usual one. */
const named: Readonly<Record<string, string>> = {
  properties: '.',
  parameters: ', parameter ',
  responses: ', status ',
  headers: ', header ',
  content: ', ',
};

/** What to do instead of a breaking change. */
export const advice =
  'Keep it unchanged, and add something new: an optional part, or a new operation. To remove an operation, deprecate it with a sunset.';
