/**
 * The text with its parts made anew. What is made stands between `<!-- made: NAME -->` and `<!-- /made -->`.
 * @param parts how each part is made, by its name
 * @throws Error when a name is unknown, or a part has no place
 */
export function fillIn(text: string, parts: Readonly<Record<string, () => string>>): string {
  const missing = new Set(Object.keys(parts));
  const made = text.replaceAll(/<!-- made: (\S+) -->\n[\s\S]*?<!-- \/made -->/g, (_, name: string) => {
    const make = parts[name];
    if (make === undefined) throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(', ')}.`);
    missing.delete(name);
    return `<!-- made: ${name} -->\n${make()}\n<!-- /made -->`;
  });
  if (missing.size > 0) throw new Error(`The document has no place for ${[...missing].join(', ')}.`);
  return made;
}
