/** The contract, as much of it as the console changes for itself. */
export type ConsoleContract = {
  servers?: { url: string; description?: string }[];
  paths: Record<string, Item>;
  webhooks?: object;
  components?: { parameters?: Record<string, Parameter>; schemas?: Record<string, Schema> };
};

type Item = Record<string, Operation>;
type Operation = {
  operationId?: string;
  summary?: string;
  deprecated?: boolean;
  'x-stability'?: string;
  parameters?: Parameter[];
};
type Parameter = { required?: boolean; example?: unknown; examples?: unknown; schema?: Schema };
type Schema = { $ref?: string; example?: unknown; examples?: unknown };

/**
 * The contract as the console shows it: without webhooks, because callers cannot send them to the API; optional parameters are empty, as an example of a cursor would be sent and
 * refused; beta and deprecated operations say so; and where the page comes from the API itself, that is the server.
 */
export function forConsole(contract: ConsoleContract, ownServer: string | undefined): ConsoleContract {
  const { components = {}, servers = [], webhooks: _, ...others } = contract;
  const empty = (parameter: Parameter) => withoutExample(parameter, components.schemas ?? {});
  return {
    ...others,
    servers: ownServer === undefined ? servers : [{ url: ownServer, description: 'The server of this page' }],
    paths: mapValues(contract.paths, (item) => preparedItem(item, empty)),
    components: { ...components, parameters: mapValues(components.parameters ?? {}, empty) },
  };
}

/** Copies the parameters that the operations of a path share into each operation, because Swagger UI leaves shared ones empty. */
function preparedItem(item: Item, empty: (parameter: Parameter) => Parameter): Item {
  const shared: unknown = item['parameters'];
  const operations = Object.entries(item).flatMap(([method, operation]) => {
    if (operation.operationId === undefined) return [];
    const parameters = [...(Array.isArray(shared) ? shared : []), ...(operation.parameters ?? [])];
    return [[method, prepared({ ...operation, parameters }, empty)]];
  });
  return Object.fromEntries(operations);
}

function prepared(operation: Operation, empty: (parameter: Parameter) => Parameter): Operation {
  const { summary = '', parameters = [] } = operation;
  const marks = [
    ...(operation['x-stability'] === 'beta' ? [' (beta)'] : []),
    ...(operation.deprecated ? [' (deprecated)'] : []),
  ];
  return { ...operation, summary: [summary, ...marks].join(''), parameters: parameters.map(empty) };
}

function withoutExample(parameter: Parameter, schemas: Record<string, Schema>): Parameter {
  if (parameter.required === true) return parameter;
  const { example: _, examples: __, schema = {}, ...rest } = parameter;
  // Without one of its own, a parameter is filled in with that of its schema.
  const { example: ___, examples: ____, ...ownSchema } = schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  return { ...rest, schema: ownSchema };
}

function mapValues<Value>(record: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

/**
 * The address of the API that delivered the page, from the `Link` header of a file beside it; undefined for a host that
 * only has the files.
 *
 * @param base the address of the file
 */
export function ownServer(link: string | null, base: string): string | undefined {
  const target = /<([^>]*)>;\s*rel="?service"?/.exec(link ?? '')?.[1];
  return target === undefined ? undefined : new URL(target, base).href;
}
