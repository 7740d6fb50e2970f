import { dig, entriesOf, listOf } from '../../common/json.ts';
import { nameOfReference } from '../../contract/document.ts';
import { flat } from '../../contract/pagination.ts';
import { oneLine } from '../words.ts';

/** `integer`, `string or null`, `array of strings`. */
export function typeInWords(contract: object, node: unknown): string {
  const schema = flat(contract, node);
  if (schema['oneOf'] !== undefined || schema['anyOf'] !== undefined) return 'one of several objects';
  const { type, items } = schema;
  const isObject = Object.keys(Object(schema['properties'])).length > 0;
  const value = schema['const'] ?? listOf(schema['enum'])[0];
  const names = [type ?? (isObject ? 'object' : value === undefined ? 'any value' : typeof value)].flat();
  const words = names.map((name) => (name === 'array' ? `array of ${typeInWords(contract, items)}s` : String(name)));
  return words.join(' or ');
}

/** The keywords that constrain a value, the most important first, and what the docs call them. */
const keywords: Record<string, string> = {
  const: 'Always',
  enum: 'One of',
  minimum: 'Minimum',
  exclusiveMinimum: 'More than',
  maximum: 'Maximum',
  exclusiveMaximum: 'Less than',
  multipleOf: 'Multiple of',
  minLength: 'Minimum length',
  maxLength: 'Maximum length',
  minItems: 'Minimum items',
  maxItems: 'Maximum items',
  minProperties: 'Minimum properties',
  maxProperties: 'Maximum properties',
  format: 'Format',
  pattern: 'Pattern',
  default: 'Default',
};

/** The constraints on a value and on the entries of a list, each as `Maximum: 100.` */
export function constraintsOf(contract: object, node: unknown): string {
  const schema = flat(contract, node);
  const own = Object.entries(keywords).flatMap(([keyword, words]) => {
    const value = schema[keyword];
    const values = keyword === 'enum' ? listOf(value) : [value];
    // A long list, such as the error codes, has its own page, and all identifiers have the limit of JSON numbers.
    if (value === undefined || values.length > 12 || Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return [];
    const says = schema['x-pattern-says'];
    return [
      keyword === 'pattern' && typeof says === 'string' ? `It ${says}.` : `${words}: ${values.map(code).join(', ')}.`,
    ];
  });
  const ofItems = schema['items'] === undefined ? '' : constraintsOf(contract, schema['items']);
  return [...own, ...(ofItems === '' ? [] : [`Each item: ${ofItems}`])].join(' ');
}

/** A value as code, in Markdown. */
export function code(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** The maximum depth, because schemas may be recursive. */
const DEEPEST = 4;

export type Field = { name: string; schema: unknown; isRequired: boolean; description?: string; example?: unknown };

/** Parameters or properties as a Markdown list: the description first, then the constraints. */
export function fieldList(contract: object, fields: readonly Field[], depth = 0): string {
  return fields.map((field) => fieldItem(contract, field, depth)).join('\n');
}

function fieldItem(contract: object, field: Field, depth: number): string {
  const { name, schema, isRequired } = field;
  const merged = flat(contract, schema);
  const example = field.example ?? merged['example'];
  const isShown = example !== undefined && merged['enum'] === undefined && merged['const'] === undefined;
  const paragraphs = [
    `**${code(name)}** *${typeInWords(contract, schema)}${isRequired ? ', required' : ''}*`,
    oneLine(String(field.description ?? merged['description'] ?? '')),
    `${constraintsOf(contract, schema)}${isShown ? ` Example: ${code(example)}.` : ''}`.trim(),
    depth < DEEPEST ? fieldsInside(contract, schema, depth + 1) : '',
  ].filter((paragraph) => paragraph !== '');
  const [first, ...others] = paragraphs;
  return [`- ${first}`, ...others.map((text) => text.replaceAll(/^(?=.)/gm, '  '))].join('\n\n').concat('\n');
}

/** The properties of an object, of the items of an array, or of each of several objects; empty for a plain value. */
export function fieldsInside(contract: object, schema: unknown, depth = 0): string {
  const merged = flat(contract, schema);
  const variants = [...listOf(merged['oneOf']), ...listOf(merged['anyOf'])];
  if (variants.length > 0) {
    const parts = variants.map(
      (one) =>
        `${code(nameOfReference(String(dig(one, '$ref') ?? '')) || 'object')}:\n\n${fieldsInside(contract, one, depth)}`,
    );
    return parts.join('\n\n');
  }
  if (merged['items'] !== undefined) return fieldsInside(contract, merged['items'], depth);
  const required = listOf(merged['required']);
  const fields = entriesOf(merged['properties']).map(
    ([name, property]): Field => ({ name, schema: property, isRequired: required.includes(name) }),
  );
  return fieldList(contract, fields, depth);
}
