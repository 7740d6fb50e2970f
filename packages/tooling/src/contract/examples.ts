import { dig, entriesOf } from '../common/json.ts';

/** Every example of a media type or parameter, the one under `example` first. */
export function examplesOf(node: unknown): unknown[] {
  const one = dig(node, 'example');
  const several = entriesOf(dig(node, 'examples')).map(([, example]) => dig(example, 'value'));
  return (one === undefined ? several : [one, ...several]).filter((example) => example !== undefined);
}

/** A valid value: an example, or a value that the schema names. */
export function exampleOf(node: unknown, schema: unknown): unknown {
  const [example] = examplesOf(node);
  const [listed] = [...entriesOf(dig(schema, 'examples')), ...entriesOf(dig(schema, 'enum'))];
  return example ?? dig(schema, 'example') ?? dig(schema, 'default') ?? listed?.[1] ?? plainValue(schema);
}

function plainValue(schema: unknown): unknown {
  const type = dig(schema, 'type');
  if (type === 'integer' || type === 'number') return dig(schema, 'minimum') ?? 1;
  if (type === 'boolean') return true;
  return type === 'object' ? {} : 'x';
}
