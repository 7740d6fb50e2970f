import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { blobMark } from '../contract/forms.ts';
import { comment } from './code.ts';
import { typeName } from './type-names.ts';

/**
 * The types of a contract: `paths`, `webhooks`, `components` and `operations`, and each component under its own name.
 * The package is no longer updated; decision 50 says how to replace it.
 */
export async function openapiTypescript(document: object): Promise<string> {
  // openapi-typescript modifies its input, so it gets a copy.
  const ast = await openapiTS(JSON.stringify(document), {
    defaultNonNullable: false,
    // `type: object` alone allows every property.
    emptyObjectsUnknown: true,
    // Exports each schema under its own name.
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    rootTypesKeepCasing: true,
    transform: (schema) => (blobMark in schema ? ts.factory.createTypeReferenceNode('Blob') : undefined),
  });
  // In a pattern, these separators would end a line.
  const types = astToString(ast).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return withPlainComments(types);
}

/**
 * The types of openapi-typescript, in which each schema is a type of its own instead of an alias of `components["schemas"]["Note"]`: editors
 * show the name `Note` wherever a schema is used. TypeScript allows all the names.
 */
export function withNamedTypes(types: string): string {
  const [before, schemas = '', after = ''] = types.split(/^( {4}schemas: \{\n[\s\S]*?^ {4}\};\n)/m);
  const members = [...membersAt(`{\n${schemas}}`, 'schemas')].map(([name, member]) => ({
    ...member,
    name: typeName(name),
  }));
  const block = members.map(({ key, name }) => `        ${key}: ${name};\n`).join('');
  const definitions = members.map(({ comment, name, type }) => `${comment}export type ${name} = ${type};\n`).join('');
  const named = after.replace(/(?:^export type .+ = components\['schemas'\]\['.+'\];\n)+/m, () => definitions);
  const text = schemas === '' ? types : `${before}    schemas: {\n${block}    };\n${named}`;
  return withSchemaNames(text, '');
}

/** A type with the names of schemas instead of `components["schemas"]["Note"]`. `prefix` is that of the names: `contract.`. */
export function withSchemaNames(type: string, prefix: string): string {
  return type.replaceAll(
    /components\["schemas"\]\[("(?:[^"\\]|\\.)*")\]/g,
    (_, name) => prefix + typeName(JSON.parse(name)),
  );
}

/** Comments that begin with the description. TypeScript already knows what `@enum` and `@constant` say. */
export function withPlainComments(types: string): string {
  return types.replaceAll(/^( *)\/\*\*(?: (.*) \*\/|\n([\s\S]*?)\n *\*\/)\n/gm, (_, indent, short, long) => {
    const lines = (short ?? long.replaceAll(/^ *\* ?/gm, '')).split('\n');
    const text = comment(plain(lines), indent.length);
    return text === '' ? '' : `${text}\n`;
  });
}

/** The lines of a comment: summary, description and format, then the tags. openapi-typescript indents further lines by four spaces. */
function plain(lines: string[]): string[] {
  const sections: Record<string, string[]> = { summary: [], description: [], format: [], tags: [] };
  let current = 'summary';
  for (const line of lines) {
    const [, tag, text = ''] = /^(Format(?=:)|@\w+) ?(.*)/.exec(line) ?? [];
    if (tag !== undefined) current = places[tag] ?? 'tags';
    sections[current]?.push(tag === '@description' ? text : current === 'tags' ? line : line.replace(/^ {4}/, ''));
  }
  const { summary = [], description = [], format = [], tags = [] } = sections;
  return [...summary, '', ...description, ...(format.length === 0 ? [] : ['', ...format]), ...tags];
}

/** Where a part of a comment belongs, by how it begins. */
const places: Readonly<Record<string, string>> = {
  Format: 'format',
  '@description': 'description',
  '@enum': 'leftOut',
  '@constant': 'leftOut',
};

/** A member of an object type in generated TypeScript. */
export type Member = { key: string; isOptional: boolean; comment: string; type: string };

/** The type of an interface. */
export function interfaceIn(types: string, name: string): string {
  return new RegExp(`^export interface ${name} (\\{\\n[\\s\\S]*?^\\})$`, 'm').exec(types)?.[1] ?? '';
}

/** A comment, a name, and a type up to the semicolon. Generated types are indented by four spaces. */
const memberPattern =
  /((?:^ {4}\/\*\*.*\n(?:^ {5}\*.*\n)*)?)^ {4}("(?:[^"\\]|\\.)*"|[\w$]+)(\??): (.*(?:\n(?: {5}| {4}[})\]]).*)*);$/gm;

/** The members of an object type by name, without index signatures. Their comments and types are not indented. */
export function membersOf(type: string): Map<string, Member> {
  return new Map(
    [...type.matchAll(memberPattern)].map(([, comment = '', key = '', optional, inner = '']) => [
      key.startsWith('"') ? JSON.parse(key) : key,
      {
        key,
        isOptional: optional === '?',
        comment: comment.replaceAll(/^ {4}/gm, ''),
        type: inner.replaceAll(/^ {4}/gm, ''),
      },
    ]),
  );
}

/** The members of the object type at the end of a path of names; none if there is no such type. */
export function membersAt(type: string, ...path: string[]): Map<string, Member> {
  return membersOf(path.reduce((current, name) => membersOf(current).get(name)?.type ?? '', type));
}
