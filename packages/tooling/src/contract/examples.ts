import { dig, entriesOf } from '../common/json.ts';
import { sampleOf } from './sample.ts';

/** Every example of a media type or parameter, the one under `example` first. */
export function examplesOf(node: unknown): unknown[] {
  const one = dig(node, 'example');
  const several = entriesOf(dig(node, 'examples')).map(([, example]) => dig(example, 'value'));
  return (one === undefined ? several : [one, ...several]).filter((example) => example !== undefined);
}

/** A valid value: an example, or a value that the schema names. */
export function exampleOf(node: unknown, schema: unknown): unknown {
  const [example] = examplesOf(node);
  return example ?? sampleOf(undefined, schema, true);
}
