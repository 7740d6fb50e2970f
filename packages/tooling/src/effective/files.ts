import { realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { entriesOf, toPointer } from '../common/json.ts';
import { type Contract, readContract } from '../contract/parse.ts';

/**
 * Makes sure that a contract from elsewhere leads to no file outside its folder and to no URL, because what is there would be published with
 * it. Redocly also follows what looks like a reference in examples and extensions.
 *
 * @throws Error with the place of the reference
 */
export function assertFilesInside(contract: Contract, isFetching: boolean): void {
  const folder = realpathSync(dirname(contract.file));
  const waiting = [contract];
  const seen = new Set<string>();
  for (const { file, document, lineOf } of waiting) {
    for (const [reference, keys] of referencesIn(document)) {
      const [target = ''] = reference.split('#');
      const refused = (reason: string) => new Error(`${file}:${lineOf(toPointer(keys))}: ${target} is ${reason}`);
      const isWeb = /^https?:/.test(target);
      if (isWeb && isFetching) continue;
      if (isWeb || /^(file|data):/.test(target)) throw refused('a URL. To read URLs of the web, pass --fetch.');
      const found = resolve(dirname(file), target);
      if (target === '' || seen.has(found)) continue;
      seen.add(found);
      const real = realPath(found);
      // Lint reports a file that is missing.
      if (real === undefined) continue;
      if (!real.startsWith(join(folder, '/'))) throw refused('outside the folder of the contract. Move it there.');
      if (/\.(ya?ml|json)$/.test(found)) waiting.push(readContract(found, relative('.', found)));
    }
  }
}

/** What Redocly may follow, with its place. An alias of YAML is the same object again. */
export function* referencesIn(node: unknown, keys: string[] = [], seen = new Set()): Generator<[string, string[]]> {
  if (seen.has(node)) return;
  if (typeof node === 'object') seen.add(node);
  for (const [key, value] of entriesOf(node)) {
    if (typeof value !== 'string') yield* referencesIn(value, [...keys, key], seen);
    else if (keys.at(-1) === 'mapping' || key === '$ref' || key === 'externalValue') yield [value, [...keys, key]];
  }
}

function realPath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}
