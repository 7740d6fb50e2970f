/** The words of JSON Schema that requests of the contract are generated from. */
export type Schema = {
  type?: string;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
};

/** What each type may say beside `enum`. */
const wordsOfType = new Map<unknown, readonly string[]>([
  ['integer', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'format']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['boolean', []],
  ['array', ['items', 'minItems', 'maxItems']],
  ['object', ['required', 'properties', 'additionalProperties']],
]);

const formatsOfType = new Map<unknown, readonly unknown[]>([
  ['integer', ['int32', 'int64']],
  ['string', ['date-time', 'uuid']],
]);

/** Words for readers; they restrict nothing. */
const annotations = /^(title|description|example|examples|default|deprecated|x-.*)$/;

/**
 * A schema without references, held to what the generators know: a word that they passed over in silence would be a
 * constraint that nothing tries to violate.
 *
 * @param where names the place, for the error
 */
export function readSchema(node: unknown, where: string): Schema {
  if (!isRecord(node)) throw new Error(`${where}: the fuzzer reads schemas that are objects only.`);
  const words = wordsOfType.get(node['type']);
  if (words === undefined)
    throw new Error(`${where}: the fuzzer does not know the type ${JSON.stringify(node['type'])}.`);
  for (const word of Object.keys(node)) {
    if (['type', 'enum', ...words].includes(word) || annotations.test(word)) continue;
    throw new Error(
      `${where}: the fuzzer does not know the word "${word}"; teach it in packages/server/test/fuzz/schemas/.`,
    );
  }
  if (node['format'] !== undefined && !formatsOfType.get(node['type'])?.includes(node['format'])) {
    throw new Error(`${where}: the fuzzer does not know the format ${JSON.stringify(node['format'])}.`);
  }
  if (typeof node['additionalProperties'] === 'object') {
    throw new Error(`${where}: the fuzzer knows additionalProperties as true or false only.`);
  }
  const { items, properties } = node;
  return {
    ...node,
    ...(items === undefined ? {} : { items: readSchema(items, `${where}/0`) }),
    ...(isRecord(properties) ? { properties: readProperties(properties, where) } : {}),
  };
}

function readProperties(properties: Record<string, unknown>, where: string): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, readSchema(schema, `${where}/${name}`)]),
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
