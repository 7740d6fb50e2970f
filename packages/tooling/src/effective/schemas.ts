import { dig, entriesOf, listOf } from '../common/json.ts';
import { type Draft, isObject, objectIn } from './draft.ts';
import { freeName } from './names.ts';

export function removeEmptyEnums(draft: Draft): void {
  if (removeEmptyEnumsIn(draft.document))
    draft.note('An enum without values is left out, because nothing would be valid.');
}

/** Returns whether there were any. */
function removeEmptyEnumsIn(node: unknown): boolean {
  const isEmpty = isObject(node) && Array.isArray(node['enum']) && node['enum'].length === 0;
  if (isEmpty) delete node['enum'];
  return (
    entriesOf(node)
      .map(([, value]) => removeEmptyEnumsIn(value))
      .some(Boolean) || isEmpty
  );
}

/** Renames a schema of the contract that has the name of one of the service. */
export function renameSchema(draft: Draft, name: string): void {
  const schemas = objectIn(draft.components, 'schemas');
  const own = schemas[name];
  if (own === undefined) return;
  delete schemas[name];
  const renamed = freeName(`Own${name}`, (choice) => Object.hasOwn(schemas, choice));
  schemas[renamed] = own;
  const [from, to] = [name, renamed].map((one) => `#/components/schemas/${one}`);
  keepDiscriminatorValues(draft.document, name, String(from), String(to));
  replaceReferences(draft.document, String(from), String(to));
  draft.note(`The schema ${name} is called ${renamed}, because the errors of the service have that name.`);
}

/** Without a mapping, the name of a schema is its value in requests, which stays the same. */
function keepDiscriminatorValues(node: unknown, name: string, from: string, to: string): void {
  const discriminator = dig(node, 'discriminator');
  const choices = [...listOf(dig(node, 'oneOf')), ...listOf(dig(node, 'anyOf'))];
  if (isObject(discriminator) && choices.some((choice) => dig(choice, '$ref') === from)) {
    const mapping = objectIn(discriminator, 'mapping');
    if (!Object.values(mapping).includes(from)) mapping[name] = to;
  }
  for (const [, child] of entriesOf(node)) keepDiscriminatorValues(child, name, from, to);
}

function replaceReferences(node: unknown, from: string, to: string): void {
  for (const [key, value] of entriesOf(node)) {
    if (key === '$ref' && value === from && isObject(node)) node['$ref'] = to;
    else if (typeof value === 'string' && value === from && isObject(node)) node[key] = to;
    else replaceReferences(value, from, to);
  }
}
