import { comment } from './comment.ts';
import { membersAt } from './declarations.ts';
import { typeName } from './type-names.ts';

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
