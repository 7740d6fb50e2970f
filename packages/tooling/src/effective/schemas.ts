import { dig, entriesOf, listOf } from '../common/json.ts';
import { type Draft, isObject, objectIn } from './draft.ts';
import { freeName } from './names.ts';

export function removeEmptyEnums(draft: Draft): void {
  if (removeEmptyEnumsIn(draft.document))
    draft.note('An enum without values is left out, because nothing would be valid.');
}

/** The formats that are checked, and those of OpenAPI that say how to read a value that its type describes. */
const knownFormats = new Set([
  ...[
    'date',
    'time',
    'date-time',
    'iso-time',
    'iso-date-time',
    'duration',
    'uri',
    'uri-reference',
    'uri-template',
    'url',
  ],
  ...['email', 'hostname', 'ipv4', 'ipv6', 'regex', 'uuid', 'json-pointer', 'json-pointer-uri-fragment'],
  ...['relative-json-pointer', 'byte', 'int32', 'int64', 'float', 'double', 'password', 'binary'],
]);

/** Formats are names that anyone may choose, and a validator ignores those that it does not know. */
export function noteUnknownFormats(draft: Draft): void {
  const unknown = [...formatsIn(draft.document)].filter((format) => !knownFormats.has(format));
  if (unknown.length > 0)
    draft.note(
      `These formats are unknown, so they are documented and not checked: ${unknown.join(', ')}. Use a pattern to check them.`,
    );
}

function formatsIn(node: unknown): Set<string> {
  const found = new Set<string>();
  for (const [key, value] of entriesOf(node)) {
    if (key === 'format' && typeof value === 'string' && dig(node, 'type') !== undefined) found.add(value);
    // Values are no schemas.
    else if (!['example', 'examples', 'default', 'const'].includes(key))
      for (const format of formatsIn(value)) found.add(format);
  }
  return found;
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
