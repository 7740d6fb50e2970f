import { dig } from '../common/json.ts';
import { project } from '../project.ts';

/** The names of an operation in the client: `client.notes.list` and `listNotes`, or `client.beta.folders.list` and `betaListFolders`. */
export type MethodName = { isBeta: boolean; group: string; method: string; functionName: string };

/**
 * The group of a method is the tag of its operation. The method is the operationId without the noun of the tag: with the tag Notes,
 * `listNotes` is `list`, and `getNotePhoto` is `getPhoto`. `x-method-name` replaces the method.
 */
export function methodNameOf(operation: unknown): MethodName {
  const operationId = String(dig(operation, 'operationId'));
  const tag = String(dig(operation, 'tags', '0') ?? 'other');
  const given = dig(operation, 'x-method-name');
  const isBeta = dig(operation, 'x-stability') === 'beta';
  const method = typeof given === 'string' ? given : joinWords(withoutNoun(wordsOf(operationId), wordsOf(tag)));
  const functionName = isBeta ? joinWords(['beta', ...wordsOf(operationId)]) : operationId;
  return { isBeta, group: joinWords(wordsOf(tag)), method, functionName };
}

/** The path of a method in a client: `notes.list` or `beta.folders.list`. */
export function pathOf({ isBeta, group, method }: MethodName): string {
  return `${isBeta ? 'beta.' : ''}${group}.${method}`;
}

/** The arguments of a method by place and name: `list_id_query` for a parameter whose name the body or another parameter has. */
export function argumentNames(parameters: readonly unknown[]): Map<string, string> {
  const found = new Map<string, string>();
  const taken = new Set(['body']);
  for (const place of ['path', 'query', 'header']) {
    for (const parameter of parameters.filter((one) => dig(one, 'in') === place)) {
      const name = String(dig(parameter, 'name'));
      let argument = name;
      while (taken.has(argument)) argument += `_${place}`;
      taken.add(argument);
      found.set(`${place} ${name}`, argument);
    }
  }
  return found;
}

/** Names that a group cannot have, because a client has a member of that name. */
export const memberNames: readonly string[] = 'beta client eject rateLimit request resume then use'.split(' ');

/** Words that cannot be the name of a function or a type. */
export const reservedWords: readonly string[] =
  `await break case catch class const continue debugger default delete do else enum export extends false finally
  for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof var void while with yield`.match(/\w+/g) ?? [];

/** Names that a function cannot have: a value of the package would be replaced. */
export const takenNames: readonly string[] = [
  project.createClient,
  ...['defaults', 'isAbortError', 'isApiError', 'isNetworkError', 'isRateLimitError', 'isTimeoutError'],
  ...['newIdempotencyKey', 'rateLimitOf', 'shareAcrossTabs', 'toApiError', 'unwrap'],
  ...reservedWords,
];

function withoutNoun([verb = '', ...rest]: string[], noun: string[]): string[] {
  const nouns = [noun, [...noun.slice(0, -1), singularOf(noun.at(-1) ?? '')]];
  const found = nouns.find((words) => words.every((word, index) => rest[index] === word));
  return [verb, ...rest.slice(found?.length ?? 0)];
}

function singularOf(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.replace(/(?<=s|x|z|ch|sh)es$|s$/, '');
}

/** The words of a name in lower case. */
function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}

/** Words as a name in camelCase. */
export function joinWords([first = '', ...others]: string[]): string {
  return first + others.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('');
}
