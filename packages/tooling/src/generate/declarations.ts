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
