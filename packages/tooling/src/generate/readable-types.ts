import { comment } from './comment.ts';
import { typeName } from './type-names.ts';

/** The types of openapi-typescript as a person would write them, which is how editors show them. */
export function readableTypes(types: string): string {
  return withNamedTypes(withPlainComments(types));
}

/**
 * The types of openapi-typescript, in which each schema is a type of its own instead of an alias of `components["schemas"]["Note"]`: editors
 * show the name `Note` wherever a schema is used. TypeScript allows all the names.
 */
function withNamedTypes(types: string): string {
  const [before, schemas = '', after = ''] = types.split(/^( {4}schemas: \{\n[\s\S]*?^ {4}\};\n)/m);
  const members = [...schemas.matchAll(memberPattern)].map(([, comment = '', key = '', type = '']) => {
    const name = typeName(key.startsWith('"') ? JSON.parse(key) : key);
    return { key, name, definition: `${comment}export type ${name} = ${type}`.replaceAll(/^ {8}/gm, '') };
  });
  const block = members.map(({ key, name }) => `        ${key}: ${name};\n`).join('');
  const named = after.replace(
    /(?:^export type .+ = components\['schemas'\]\['.+'\];\n)+/m,
    members.map(({ definition }) => definition).join(''),
  );
  const text = schemas === '' ? types : `${before}    schemas: {\n${block}    };\n${named}`;
  return text.replaceAll(/components\["schemas"\]\[("(?:[^"\\]|\\.)*")\]/g, (_, name) => typeName(JSON.parse(name)));
}

/** A schema in the interface `components`: its comment, its name, and its type up to the semicolon. */
const memberPattern =
  /((?:^ {8}\/\*\*.*\n(?:^ {9}\*.*\n)*)?)^ {8}("(?:[^"\\]|\\.)*"|[\w$]+): (.*\n(?:(?: {9}| {8}[})\]]).*\n)*)/gm;

/** Comments that begin with the description. TypeScript already knows what `@enum` and `@constant` say. */
function withPlainComments(types: string): string {
  return types.replaceAll(/^( *)\/\*\*(?: (.*) \*\/|\n([\s\S]*?)\n *\*\/)$/gm, (_, indent, short, long) => {
    const lines = (short ?? long.replaceAll(/^ *\* ?/gm, '')).split('\n');
    return comment(plain(lines), indent.length);
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
