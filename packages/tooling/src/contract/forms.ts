import type { FormField, FormFields } from '@contract-first/service/facts';
import { dig, entriesOf, listOf } from '../common/json.ts';
import { type ContractDocument, operationsOf, resolve } from './document.ts';

/** The media type of forms with files. */
export const multipart = 'multipart/form-data';

/** The fields of a form, by their names in its schema. */
export function formFieldsOf(document: unknown, type: string, media: unknown): FormFields {
  const fields = [...fieldSchemasOf(document, media)].map(([name, schemas]): [string, FormField] => [
    name,
    fieldOf(document, schemas, type === multipart, dig(media, 'encoding', name, 'contentType')),
  ]);
  return Object.fromEntries(fields);
}

/** The schemas of each field: several if a composition names a field more than once. */
export function fieldSchemasOf(document: unknown, media: unknown): Map<string, unknown[]> {
  const fields = new Map<string, unknown[]>();
  for (const part of inPlace(document, dig(media, 'schema'))) {
    for (const [name, schema] of entriesOf(dig(part, 'properties'))) {
      fields.set(name, [...(fields.get(name) ?? []), schema]);
    }
  }
  return fields;
}

function fieldOf(document: unknown, schemas: unknown[], isMultipart: boolean, contentType: unknown): FormField {
  const isList = typesOf(document, schemas).has('array');
  const items = schemas.flatMap((schema) => inPlace(document, schema)).map((part) => dig(part, 'items'));
  const values = isList ? items.filter((item) => item !== undefined) : schemas;
  const parts = values.flatMap((schema) => inPlace(document, schema));
  if (!isMultipart || !isFile(parts)) return { types: convertedTypes(typesOf(document, values)), isList };
  const named = parts.map((part) => dig(part, 'contentMediaType')).find((type) => typeof type === 'string');
  const allowed = typeof contentType === 'string' ? contentType : named;
  const file = allowed === undefined ? [] : allowed.split(',').map((range) => range.trim().toLowerCase());
  return { types: [], isList, file };
}

/** Keywords that make a schema without a type more than "any bytes". */
const restricting = ['type', 'enum', 'const', 'properties', 'items', 'contentEncoding', 'pattern', 'not'];

/** Whether the schemas of a value say that it is a file: bytes, text in a media type, or nothing at all. */
export function isFile(parts: readonly unknown[]): boolean {
  if (parts.some((part) => dig(part, 'contentEncoding') !== undefined)) return false;
  const types = parts.map((part) => dig(part, 'type')).filter((type) => type !== undefined);
  if (!types.every((type) => type === 'string')) return false;
  const isBinary = (part: unknown) => dig(part, 'format') === 'binary' || dig(part, 'contentMediaType') !== undefined;
  return parts.some(isBinary) || parts.every((part) => restricting.every((word) => dig(part, word) === undefined));
}

/** The JSON types that schemas allow for one value: those under `type`, and `text` for a string that is one of some values. */
export function typesOf(document: unknown, schemas: readonly unknown[]): Set<unknown> {
  const parts = schemas.flatMap((schema) => inPlace(document, schema));
  return new Set(
    parts.flatMap((part) => {
      const values = [...listOf(dig(part, 'enum')), ...('const' in Object(part) ? [dig(part, 'const')] : [])];
      const types = [dig(part, 'type') ?? []].flat();
      if (types.length === 0) return values.map(typeOfValue);
      return values.length === 0 ? types : types.map((one) => (one === 'string' ? 'text' : one));
    }),
  );
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? 'text' : typeof value;
}

/** If any text is allowed, a text is never converted. */
function convertedTypes(types: ReadonlySet<unknown>): string[] {
  const converted = ['integer', 'number', 'boolean', 'null', 'object'];
  return types.has('string') ? [] : converted.filter((type) => types.has(type));
}

/** A schema, and those that apply to the same value: what it refers to and what it is composed of. */
export function inPlace(document: unknown, schema: unknown, followed: readonly unknown[] = []): unknown[] {
  const target = resolve(document, schema);
  if (target === undefined || followed.includes(target)) return [];
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listOf(dig(target, keyword)));
  const others = ['if', 'then', 'else'].map((keyword) => dig(target, keyword));
  const dependent = entriesOf(dig(target, 'dependentSchemas')).map(([, one]) => one);
  const further = [...lists, ...others, ...dependent].filter((one) => one !== undefined);
  return [target, ...further.flatMap((one) => inPlace(document, one, [...followed, target]))];
}

/** The mark of a schema that is a file, for the generators of types: a Blob. */
export const blobMark = 'x-blob';

/** The contract with a mark in place of the schema of each file of a form. */
export function withBlobs(document: ContractDocument): ContractDocument {
  const copy = structuredClone(document);
  for (const { body } of operationsOf(copy)) {
    const media = body?.content?.[multipart];
    if (media?.schema === undefined) continue;
    const files = Object.entries(formFieldsOf(copy, multipart, media)).filter(([, { file }]) => file !== undefined);
    if (files.length > 0) media.schema = Object(markFiles(copy, media.schema, new Map(files), []));
  }
  return copy;
}

function markFiles(
  document: unknown,
  schema: unknown,
  files: ReadonlyMap<string, FormField>,
  followed: readonly unknown[],
): unknown {
  const target = resolve(document, schema);
  if (followed.includes(target)) return target;
  const mark = (part: unknown) => markFiles(document, part, files, [...followed, target]);
  const marked = entriesOf(target).map(([keyword, value]) => {
    if (keyword === 'properties') {
      const properties = entriesOf(value).map(([name, property]) => [name, markFile(property, files.get(name))]);
      return [keyword, Object.fromEntries(properties)];
    }
    return [keyword, ['allOf', 'anyOf', 'oneOf'].includes(keyword) ? listOf(value).map(mark) : value];
  });
  return Object.fromEntries(marked);
}

function markFile(property: unknown, field: FormField | undefined): unknown {
  if (field === undefined) return property;
  const description = dig(property, 'description');
  const blob = { ...(description === undefined ? {} : { description }), [blobMark]: true };
  return field.isList ? { type: 'array', items: blob } : blob;
}
