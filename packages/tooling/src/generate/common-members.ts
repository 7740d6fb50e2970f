/**
 * The code of object types, given their members in order. Members that all of them have are written once, in a type with this name: `common`
 * is its declaration, empty if there are none.
 */
export function objectTypes(
  name: string,
  types: readonly (readonly string[])[],
): { common: string; objects: string[] } {
  const [first = [], ...others] = types;
  const shared = others.length === 0 ? [] : first.filter((member) => others.every((other) => other.includes(member)));
  if (shared.length === 0) return { common: '', objects: types.map(objectOf) };
  const objects = types.map((members) => {
    const own = members.filter((member) => !shared.includes(member));
    return own.length === 0 ? name : `${name} & ${objectOf(own)}`;
  });
  return { common: `type ${name} = ${objectOf(shared)};\n`, objects };
}

function objectOf(members: readonly string[]): string {
  return `{\n${members.map((member) => `  ${member};\n`).join('')}}`;
}
