import { dig, entriesOf } from '../../common/json.ts';
import { resolve } from '../../contract/document.ts';
import { number, oneLine } from './words.ts';

/** Part of a contract; schemas may refer to any component in it. */
export type Contract = object;

type Schema = Readonly<Record<string, unknown>>;

/**
 * A schema with its reference followed and its `allOf` merged. Keywords next to a `$ref` override those of the component.
 */
export function flatSchema(contract: Contract, node: unknown): Schema {
  const own = Object.fromEntries(entriesOf(node).filter(([key]) => key !== '$ref' && key !== 'allOf'));
  const referenced = dig(node, '$ref') === undefined ? {} : flatSchema(contract, resolve(contract, node));
  const parts = [...entriesOf(dig(node, 'allOf')).map(([, part]) => flatSchema(contract, part)), referenced, own];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => list(required)),
  };
}

/** `integer`, `string or null`, `list of strings`. */
export function typeInWords(contract: Contract, node: unknown): string {
  const schema = flatSchema(contract, node);
  if (schema['oneOf'] !== undefined || schema['anyOf'] !== undefined) return 'one of several objects';
  const names = typesOf(schema).map((type) =>
    type === 'array' ? `list of ${plural(typeInWords(contract, schema['items']))}` : type,
  );
  return names.length === 0 ? 'any value' : names.join(' or ');
}

function typesOf(schema: Schema): string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.map(String);
  if (Object.keys(record(schema['properties'])).length > 0) return ['object'];
  const value = schema['const'] ?? list(schema['enum'])[0];
  return value === undefined ? [] : [typeof value];
}

function plural(type: string): string {
  return type === 'any value' || type.startsWith('one of') ? 'values' : type.replace(/^\w+/, (word) => `${word}s`);
}

const formats: Record<string, string> = {
  'date-time': 'An RFC 3339 time in UTC.',
  date: 'An RFC 3339 date.',
  email: 'An email address.',
  uuid: 'A UUID.',
  uri: 'A URL.',
  'uri-reference': 'An absolute or relative URL.',
};

/** The constraints on a value as sentences, the least important last. */
export function rulesInWords(contract: Contract, node: unknown): string[] {
  const schema = flatSchema(contract, node);
  const { format, default: preset, items } = schema;
  const each = items === undefined ? [] : rulesInWords(contract, items);
  return [
    ...oneOfValues(contract, schema),
    ...range(schema),
    ...amount(schema, 'minLength', 'maxLength', 'character'),
    ...amount(schema, 'minItems', 'maxItems', 'value'),
    ...amount(schema, 'minProperties', 'maxProperties', 'property'),
    ...(schema['uniqueItems'] === true ? ['No duplicate values.'] : []),
    ...(typeof format === 'string' && formats[format] !== undefined ? [formats[format]] : []),
    ...pattern(schema),
    ...(each.length === 0 ? [] : [`Each value: ${each.join(' ')}`]),
    ...(preset === undefined ? [] : [`Default: ${code(preset)}.`]),
  ];
}

/** `One of ...`, if the schema has an `enum` or a `const`. */
export function oneOfValues(contract: Contract, node: unknown): string[] {
  const schema = flatSchema(contract, node);
  if (schema['const'] !== undefined) return [`Always ${code(schema['const'])}.`];
  const values = list(schema['enum']);
  if (values.length === 1) return [`Always ${code(values[0])}.`];
  // A long list, such as the error codes, has its own page.
  return values.length === 0 || values.length > 12 ? [] : [`One of ${values.map(code).join(', ')}.`];
}

function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema): string[] {
  const low = typeof exclusiveMinimum === 'number' ? `More than ${bound(exclusiveMinimum)}` : undefined;
  const high = typeof exclusiveMaximum === 'number' ? `less than ${bound(exclusiveMaximum)}` : undefined;
  const steps = typeof multipleOf === 'number' ? [`A multiple of ${multipleOf}.`] : [];
  // Every ID has these limits, which come from JSON numbers, not from the field.
  if (maximum === Number.MAX_SAFE_INTEGER && minimum === -Number.MAX_SAFE_INTEGER)
    return ['Between −(2⁵³ − 1) and 2⁵³ − 1.'];
  if (typeof minimum === 'number' && typeof maximum === 'number')
    return [`From ${bound(minimum)} to ${bound(maximum)}.`, ...steps];
  const least = low ?? (typeof minimum === 'number' ? `At least ${bound(minimum)}` : undefined);
  const most = high ?? (typeof maximum === 'number' ? `at most ${bound(maximum)}` : undefined);
  const both = [least, most].filter((part) => part !== undefined).join(', ');
  return [...(both === '' ? [] : [`${both.charAt(0).toUpperCase()}${both.slice(1)}.`]), ...steps];
}

function bound(value: number): string {
  return value === Number.MAX_SAFE_INTEGER ? '2⁵³ − 1' : number(value);
}

function amount(schema: Schema, from: string, to: string, noun: string): string[] {
  const [least, most] = [schema[from], schema[to]];
  const unit = (count: unknown) => {
    if (count === 1) return noun;
    return noun === 'property' ? 'properties' : `${noun}s`;
  };
  if (typeof least === 'number' && typeof most === 'number')
    return [`${number(least)} to ${number(most)} ${unit(most)}.`];
  if (typeof least === 'number') return [`At least ${number(least)} ${unit(least)}.`];
  return typeof most === 'number' ? [`At most ${number(most)} ${unit(most)}.`] : [];
}

/** The contract's own description of a pattern if there is one; otherwise the pattern itself. */
function pattern(schema: Schema): string[] {
  const { pattern: expression, 'x-pattern-says': words } = schema;
  if (typeof words === 'string') return words.startsWith('must ') ? [`It ${words}.`] : [];
  return typeof expression === 'string' ? [`Pattern: ${code(expression)}`] : [];
}

/** The name of the component that a schema refers to; empty without a reference. */
export function schemaName(node: unknown): string {
  return (
    String(dig(node, '$ref') ?? '')
      .split('/')
      .at(-1) ?? ''
  );
}

/** A value as code, in Markdown. */
export function code(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

export function record(node: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(entriesOf(node));
}

export function list(node: unknown): unknown[] {
  return Array.isArray(node) ? node : [];
}

/** The maximum depth, because schemas may be recursive. */
const DEEPEST = 4;

export type Field = { name: string; schema: unknown; isRequired: boolean; description?: string; example?: unknown };

/** Parameters, headers or properties as a Markdown list: the description first, then the constraints. */
export function fieldList(contract: Contract, fields: readonly Field[], depth = 0): string {
  return fields.map((field) => fieldItem(contract, field, depth)).join('\n');
}

function fieldItem(contract: Contract, field: Field, depth: number): string {
  const { name, schema, isRequired } = field;
  const flat = flatSchema(contract, schema);
  const description = oneLine(String(field.description ?? flat['description'] ?? ''));
  const example = field.example ?? flat['example'];
  const rules = rulesInWords(contract, schema);
  const shown = example === undefined || flat['enum'] !== undefined || flat['const'] !== undefined ? [] : [example];
  const paragraphs = [
    `**${code(name)}** *${typeInWords(contract, schema)}${isRequired ? ', required' : ''}*`,
    description,
    [...rules, ...shown.map((value) => `Example: ${code(value)}.`)].join(' '),
    depth < DEEPEST ? fieldsInside(contract, schema, depth + 1) : '',
  ].filter((paragraph) => paragraph !== '');
  return paragraphs
    .map((paragraph, index) => (index === 0 ? `- ${paragraph}` : paragraph.replaceAll(/^(?=.)/gm, '  ')))
    .join('\n\n')
    .concat('\n');
}

/** The properties of an object, of the entries of a list, or of each of several objects; empty for a plain value. */
export function fieldsInside(contract: Contract, schema: unknown, depth = 0): string {
  const flat = flatSchema(contract, schema);
  const variants = [...list(flat['oneOf']), ...list(flat['anyOf'])];
  if (variants.length > 0) return variantLists(contract, flat, variants, depth);
  if (flat['items'] !== undefined) return fieldsInside(contract, flat['items'], depth);
  const required = list(flat['required']);
  const fields = entriesOf(flat['properties']).map(
    ([name, property]): Field => ({ name, schema: property, isRequired: required.includes(name) }),
  );
  return fieldList(contract, fields, depth);
}

function variantLists(
  contract: Contract,
  flat: Readonly<Record<string, unknown>>,
  variants: readonly unknown[],
  depth: number,
): string {
  const property = dig(flat['discriminator'], 'propertyName');
  return variants
    .map((variant) => {
      const kind = flatSchema(contract, dig(flatSchema(contract, variant), 'properties', String(property)));
      const value = kind['const'] ?? list(kind['enum'])[0];
      const name = schemaName(variant) || 'Another object';
      const heading = value === undefined ? `${code(name)}:` : `With ${code(property)} ${code(value)}:`;
      return `${heading}\n\n${fieldsInside(contract, variant, depth)}`;
    })
    .join('\n\n');
}
