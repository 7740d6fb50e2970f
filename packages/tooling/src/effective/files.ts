import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { dig, entriesOf, toPointer } from '../common/json.ts';
import { type Contract, readContract } from '../contract/parse.ts';

/**
 * The files of a contract from elsewhere. It may lead to no file outside its folder and to no URL, because what is there would be published with
 * it. Redocly also follows what looks like a reference in extensions and examples, so these examples are left out.
 *
 * @throws Error with the place of the reference
 */
export function filesInside(contract: Contract, isFetching: boolean): { files: Contract[]; leftOut: string[] } {
  const folder = realpathSync(dirname(contract.file));
  const files = [contract];
  const leftOut: string[] = [];
  const seen = new Set([resolve(contract.file)]);
  for (const { file, document, lineOf } of files) {
    for (const [reference, keys] of [...referencesIn(document)]) {
      const [target = ''] = reference.split('#');
      const example = exampleAround(keys);
      if (example !== undefined) {
        leftOut.push(toPointer(example));
        Reflect.deleteProperty(Object(dig(document, ...example.slice(0, -1))), example.at(-1) ?? '');
        continue;
      }
      const refused = (reason: string) => new Error(`${file}:${lineOf(toPointer(keys))}: ${target} is ${reason}`);
      const isWeb = /^https?:/.test(target);
      if (isWeb && isFetching) continue;
      if (isWeb || /^(file|data):/.test(target)) throw refused('a URL. To read URLs of the web, pass --fetch.');
      const found = resolve(dirname(file), target);
      if (target === '' || seen.has(found)) continue;
      seen.add(found);
      // Lint reports a file that is missing.
      if (!existsSync(found)) continue;
      if (!realpathSync(found).startsWith(join(folder, '/')))
        throw refused('outside the folder of the contract. Move it there.');
      const name = relative('.', found);
      const isText = !/\.(ya?ml|json)$/.test(found);
      files.push(isText ? { file: name, document: readFileSync(found, 'utf8'), lineOf } : readContract(found, name));
    }
  }
  return { files, leftOut };
}

/** The keys of objects whose own keys are names, such as `example`, and no keywords. */
export const named =
  /^(\w*[pP]roperties|\$defs|definitions|dependentSchemas|mapping|schemas|responses|parameters|examples|requestBodies|headers|links|callbacks|pathItems|webhooks)$/;

/** The keys of the example that something is in. */
function exampleAround(keys: readonly string[]): readonly string[] | undefined {
  const index = keys.findIndex((key, at) =>
    key === 'example' ? !named.test(keys[at - 1] ?? '') : key === 'value' && keys[at - 2] === 'examples',
  );
  return index === -1 ? undefined : keys.slice(0, index + 1);
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
