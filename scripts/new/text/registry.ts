/**
 * The text of operations/index.ts with one operation more: its import, and its name where the contract has it.
 * Biome puts the import in its place.
 *
 * @param order every operationId, in the contract's order
 */
export function withOperation(registry: string, id: string, order: readonly string[]): string {
  const list = /(?<=\boperations: Operations = \{)[^{}]*(?=\})/;
  const found = list.exec(registry);
  if (found === null) throw new Error(`operations/index.ts has another form than expected. Add ${id} there by hand.`);
  const names = found[0].split(',').map((name) => name.trim());
  const present = names.filter((name) => name !== '' && name !== id);
  const following = new Set(order.slice(order.indexOf(id) + 1));
  const place = present.findLastIndex((name) => order.includes(name) && !following.has(name)) + 1;
  const line = `import { ${id} } from './${id}.ts';\n`;
  const imported = registry.includes(line) ? registry : `${line}${registry}`;
  return imported.replace(list, ` ${present.toSpliced(place, 0, id).join(', ')} `);
}
