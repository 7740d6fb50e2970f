import { dig, entriesOf } from '../../common/json.ts';
import { type Contract, code, flatSchema, list, rulesInWords, typeInWords } from '../facts/schema-words.ts';
import { oneLine } from '../facts/words.ts';

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
      const reference = dig(variant, '$ref');
      const kind = flatSchema(contract, dig(flatSchema(contract, variant), 'properties', String(property)));
      const value = kind['const'] ?? list(kind['enum'])[0];
      const name = typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : 'Another object';
      const heading = value === undefined ? `${code(name)}:` : `With ${code(property)} ${code(value)}:`;
      return `${heading}\n\n${fieldsInside(contract, variant, depth)}`;
    })
    .join('\n\n');
}
