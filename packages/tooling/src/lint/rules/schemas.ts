import { dig, entriesOf, listOf } from '../../common/json.ts';
import type { Rule } from '../redocly.ts';
import { eachServedOperation } from '../served.ts';

/** The validator of requests throws on a tuple whose length may vary, although JSON Schema allows it. */
export const tuples: Rule = () =>
  eachServedOperation(({ parameters, requestBodies, targetOf }, report) => {
    for (const { node, location } of [...parameters, ...requestBodies]) {
      const length = openTuple(dig(node, 'schema'), targetOf, new Set());
      if (length === undefined) continue;
      const message = `The validator of requests reads tuples of a fixed length only. Write "minItems: ${length}" and "items: false" next to prefixItems.`;
      report({ message, location: location.child(['schema']) });
    }
  });

/** The length of the first tuple in a schema that may be shorter or longer. */
function openTuple(node: unknown, targetOf: (node: unknown) => unknown, seen: Set<unknown>): number | undefined {
  const schema = targetOf(node);
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return undefined;
  seen.add(schema);
  const { length } = listOf(dig(schema, 'prefixItems'));
  const isClosed = dig(schema, 'maxItems') === length || dig(schema, 'items') === false;
  if (length > 0 && !(isClosed && dig(schema, 'minItems') === length)) return length;
  for (const [, child] of entriesOf(schema)) {
    const found = openTuple(child, targetOf, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}
