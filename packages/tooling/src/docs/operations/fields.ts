import { dig, entriesOf } from '../../common/json.ts';
import { resolve } from '../../contract/document.ts';
import { oneLine } from '../words.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * A schema with its reference followed and its `allOf` merged. Keywords next to a `$ref` override those of the component.
 */
export function flatSchema(contract: object, node: unknown): Schema {
  const own = Object.fromEntries(entriesOf(node).filter(([key]) => key !== '$ref' && key !== 'allOf'));
  const referenced = dig(node, '$ref') === undefined ? {} : flatSchema(contract, resolve(contract, node));
  const parts = [...entriesOf(dig(node, 'allOf')).map(([, part]) => flatSchema(contract, part)), referenced, own];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => list(required)),
  };
}

/** `integer`, `string or null`, `array of strings`. */
export function typeInWords(contract: object, node: unknown): string {
  const schema = flatSchema(contract, node);
  if (schema['oneOf'] !== undefined || schema['anyOf'] !== undefined) return 'one of several objects';
  const { type, items } = schema;
  const isObject = Object.keys(Object(schema['properties'])).length > 0;
  const value = schema['const'] ?? list(schema['enum'])[0];
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
  const schema = flatSchema(contract, node);
  const own = Object.entries(keywords).flatMap(([keyword, words]) => {
    const value = schema[keyword];
    const values = keyword === 'enum' ? list(value) : [value];
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

/** The name of the component that a schema refers to; empty without a reference. */
export function schemaName(node: unknown): string {
  return String(dig(node, '$ref') ?? '').replace(/^.*\//, '');
}

/** A value as code, in Markdown. */
export function code(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

export function list(node: unknown): unknown[] {
  return Array.isArray(node) ? node : [];
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
  const flat = flatSchema(contract, schema);
  const example = field.example ?? flat['example'];
  const isShown = example !== undefined && flat['enum'] === undefined && flat['const'] === undefined;
  const paragraphs = [
    `**${code(name)}** *${typeInWords(contract, schema)}${isRequired ? ', required' : ''}*`,
    oneLine(String(field.description ?? flat['description'] ?? '')),
    `${constraintsOf(contract, schema)}${isShown ? ` Example: ${code(example)}.` : ''}`.trim(),
    depth < DEEPEST ? fieldsInside(contract, schema, depth + 1) : '',
  ].filter((paragraph) => paragraph !== '');
  const [first, ...others] = paragraphs;
  return [`- ${first}`, ...others.map((text) => text.replaceAll(/^(?=.)/gm, '  '))].join('\n\n').concat('\n');
}

/** The properties of an object, of the items of an array, or of each of several objects; empty for a plain value. */
export function fieldsInside(contract: object, schema: unknown, depth = 0): string {
  const flat = flatSchema(contract, schema);
  const variants = [...list(flat['oneOf']), ...list(flat['anyOf'])];
  if (variants.length > 0) {
    const parts = variants.map(
      (one) => `${code(schemaName(one) || 'object')}:\n\n${fieldsInside(contract, one, depth)}`,
    );
    return parts.join('\n\n');
  }
  if (flat['items'] !== undefined) return fieldsInside(contract, flat['items'], depth);
  const required = list(flat['required']);
  const fields = entriesOf(flat['properties']).map(
    ([name, property]): Field => ({ name, schema: property, isRequired: required.includes(name) }),
  );
  return fieldList(contract, fields, depth);
}
