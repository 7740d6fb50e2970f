import type { Contract } from '../common/facts.ts';

/** The absolute URL of an operation. Operations call it through the typed `UrlOf`. */
export type AnyUrlOf = (id: string, parameters: { path?: object; query?: object | undefined }) => string;

/** @param origin scheme, host and port; empty for URLs relative to the server */
export function urlsAt(origin: string, { basePath, operations }: Contract): AnyUrlOf {
  return (id, { path = {}, query = {} }) => {
    const operation = operations[id];
    if (operation === undefined) throw new Error(`The contract has no operation ${id}.`);
    return `${origin}${basePath}${filled(operation.path, path)}${search(query)}`;
  };
}

function filled(path: string, parameters: object): string {
  if (!path.includes('{')) return path;
  const values = new Map<string, unknown>(Object.entries(parameters));
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => encode(values.get(name)));
}

function search(query: object): string {
  let text = '';
  for (const [name, given] of Object.entries(query)) {
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value !== undefined) text += `${text === '' ? '?' : '&'}${encode(name)}=${encode(value)}`;
    }
  }
  return text;
}

/** Also encodes !'()*, which `encodeURIComponent` does not encode and the validator treats as delimiters. */
function encode(value: unknown): string {
  const text = String(value);
  if (/^[\w.~-]*$/.test(text)) return text;
  const encoded = encodeURIComponent(text);
  return encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
