import { dig, entriesOf, listOf } from '../common/json.ts';
import { nameOfReference } from '../contract/document.ts';
import { patternProblem, withFlagU } from '../contract/patterns.ts';
import { typeName } from '../generate/type-names.ts';
import { type Draft, isObject, type Json, objectIn } from './draft.ts';
import { named as hasNames } from './files.ts';
import { freeName } from './names.ts';

/** Renames a schema of the contract that has the name of one of the service. */
export function renameSchema(draft: Draft, name: string): void {
  if (dig(draft.components, 'schemas', name) === undefined) return;
  const renamed = rename(draft, 'schemas', name, `Own${name}`);
  draft.note(`The schema ${name} is called ${renamed}, because the errors of the service have that name.`);
}

/** Writes the patterns that are valid only without the flag `u` as they are valid with it. Lint reports those that are not valid at all. */
export function completePatterns(draft: Draft, node: unknown = draft.document, parent = ''): void {
  if (draft.isOurs) return;
  const { pattern, patternProperties } = isObject(node) ? node : {};
  if (isObject(node) && typeof pattern === 'string') node['pattern'] = servedPattern(draft, pattern);
  if (isObject(node) && isObject(patternProperties)) {
    const served = Object.entries(patternProperties).map(([name, schema]) => [servedPattern(draft, name), schema]);
    // Two that become one are left as they are, which lint refuses.
    if (new Set(served.map(([name]) => name)).size === served.length)
      node['patternProperties'] = Object.fromEntries(served);
  }
  for (const [key, child] of entriesOf(node)) {
    const isData = /^(examples?|default|const|enum)$/.test(key) && !hasNames.test(parent);
    if (!isData) completePatterns(draft, child, key);
  }
}

function servedPattern(draft: Draft, pattern: string): string {
  const written = withFlagU(pattern);
  if (!patternProblem(pattern) || patternProblem(pattern, '') || patternProblem(written)) return pattern;
  draft.note('A pattern that is valid only without the flag u is written as it is valid with it.', pattern);
  return written;
}

/** The groups of components whose names become names of types. */
const named = ['schemas', 'responses', 'parameters', 'requestBodies', 'headers'] as const;

/**
 * Gives each component a name of its own in TypeScript, without characters that references would have to encode. A contract may have
 * `Links-Self` and `LinksSelf`, which are one name there.
 */
export function freeNames(draft: Draft): void {
  if (draft.isOurs) return;
  for (const group of named) {
    const all = objectIn(draft.components, group);
    const taken = new Set<string>();
    // Names that stay as they are come first.
    const names = Object.keys(all).sort(
      (one, other) => Number(typeName(one) !== one) - Number(typeName(other) !== other),
    );
    for (const name of names) {
      const isFree = !taken.has(typeName(name));
      // The names of headers are those of HTTP, and the tools know them.
      const isPlain = /^[\w.-]+$/.test(name);
      if ((isFree && isPlain) || group === 'headers') {
        taken.add(typeName(name));
        continue;
      }
      const renamed = rename(draft, group, name, typeName(name), taken);
      taken.add(renamed);
      draft.note(
        'A component whose name is no name in code, or that of another one, is renamed.',
        `${name}: ${renamed}`,
      );
    }
  }
}

function rename(draft: Draft, group: string, name: string, wanted: string, taken?: ReadonlySet<string>): string {
  const all = objectIn(draft.components, group);
  const renamed = freeName(wanted, (choice) => taken?.has(choice) || Object.hasOwn(all, choice));
  const entries = Object.entries(all).map(([key, value]): [string, Json] => [key === name ? renamed : key, value]);
  draft.components[group] = Object.fromEntries(entries);
  redirect(draft.document, group, name, `#/components/${group}/${renamed}`);
  return renamed;
}

/** Lets what refers to a component refer to its other name. The contract may write references encoded. */
function redirect(node: unknown, group: string, name: string, to: string): void {
  const isReference = (value: unknown) =>
    typeof value === 'string' && value.startsWith(`#/components/${group}/`) && nameOfReference(value) === name;
  const discriminator = dig(node, 'discriminator');
  const choices = [...listOf(dig(node, 'oneOf')), ...listOf(dig(node, 'anyOf'))];
  if (isObject(discriminator) && choices.some((choice) => isReference(dig(choice, '$ref')))) {
    // Without a mapping, the name of a schema is its value in requests, which stays the same.
    const mapping = objectIn(discriminator, 'mapping');
    if (!Object.values(mapping).some(isReference)) mapping[name] = to;
  }
  for (const [key, value] of entriesOf(node)) {
    if (isObject(node) && isReference(value)) node[key] = to;
    else redirect(value, group, name, to);
  }
}
