import { dig, entriesOf } from '../../common/json.ts';
import { resolve } from '../../contract/document.ts';
import { number } from './words.ts';

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
