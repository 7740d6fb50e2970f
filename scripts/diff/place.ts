import { dig } from '../lint/redocly.ts';
import { isBeta, operationsIn } from './contract.ts';
import { keysOf } from './pointer.ts';
import { reachedFrom } from './stable-part.ts';

/** The part that a JSON pointer names, in words: `listPets, status 200, header Link`, `Pet.categoryId`. */
export function placeName(document: unknown, pointer: string): string {
  const keys = keysOf(pointer);
  const [first = '', second = '', third = ''] = keys;
  if (first === 'components') {
    const label = second === 'schemas' ? third : `${second.replace(/s$/, '')} ${third}`;
    return nameFrom(document, keys, 3, label);
  }
  if (first !== 'paths') return keys.join('.') || 'document';
  const operation = operationsIn(document).find(({ path, method }) => path === second && method === third);
  return nameFrom(document, keys, operation === undefined ? 2 : 3, operation?.id ?? second);
}

/** The stable operations that use a component, by their ids; none for a pointer that leads elsewhere. */
export function usersOf(document: unknown, pointer: string): string[] {
  const [first, kind, name] = keysOf(pointer);
  if (first !== 'components') return [];
  return operationsIn(document)
    .filter(
      ({ operation }) => !isBeta(operation) && reachedFrom(document, operation).has(`#/components/${kind}/${name}`),
    )
    .map(({ id }) => id);
}

/** Goes down from the part that `label` names, and adds the names that a reader of the contract knows. */
function nameFrom(document: unknown, keys: readonly string[], from: number, label: string): string {
  let name = label;
  for (let index = from; index < keys.length; index += 1) {
    const [key = '', next = ''] = keys.slice(index, index + 2);
    if (key === 'items') name += '[]';
    if (key === 'requestBody') name += ', body';
    if (!named.has(key) || next === '') continue;
    name += wordFor(document, keys.slice(0, index + 2), key, next);
    index += 1;
  }
  return name;
}

const named = new Set(['properties', 'parameters', 'responses', 'headers', 'content']);

function wordFor(document: unknown, path: readonly string[], key: string, next: string): string {
  switch (key) {
    case 'properties':
      return `.${next}`;
    case 'parameters':
      return `, parameter ${parameterName(document, path)}`;
    case 'responses':
      return `, status ${next}`;
    case 'headers':
      return `, header ${next}`;
    default:
      // The media type: every body of this API is JSON.
      return next === 'application/json' ? '' : `, ${next}`;
  }
}

function parameterName(document: unknown, path: readonly string[]): string {
  const parameter = dig(document, ...path);
  const reference = dig(parameter, '$ref');
  const target = typeof reference === 'string' ? dig(document, ...keysOf(reference)) : parameter;
  return String(dig(target, 'name') ?? path.at(-1));
}
