import { keysOfReference, targetOf } from '@contract-first/service/document';
import { dig, entriesOf } from '../common/json.ts';
import type { Pagination } from './pagination.ts';

export { keysOfReference, targetOf };

/** The parts of the bundled contract that the tools read. `npm run lint` checks this shape. */
export type ContractDocument = {
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    termsOfService?: string;
    contact: { name: string; url?: string; email?: string };
  };
  servers: { url: string; description: string; 'x-mode'?: 'live' | 'test' }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  /** Requests that the API sends to its partners, by name. */
  webhooks?: Record<string, PathItem>;
  components: {
    parameters: Record<string, ParameterObject>;
    headers: Record<string, HeaderObject>;
    requestBodies?: Record<string, RequestBodyObject>;
    responses: Record<string, ResponseObject>;
    securitySchemes?: Record<string, { type?: string; bearerFormat?: string; 'x-scopes'?: Record<string, string> }>;
    schemas: Record<string, SchemaObject> & {
      ErrorCode: SchemaObject & { enum: string[]; 'x-codes': Record<string, ErrorCodeRow> };
    };
  };
  security?: SecurityRequirement[];
  'x-rate-limits'?: { plans?: Record<string, Plan>; anonymous?: Quota; ban?: Record<string, number> };
  'x-limits': Record<string, number>;
};

export type Quota = { perMinute: number; perDay: number };
export type Plan = { title: string } & (Quota | { custom: true });

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';

/** The operations by method, and the parameters that all of them share. */
export type PathItem = { [Name in Method]?: OperationObject } & { parameters?: OperationObject['parameters'] };

export type OperationObject = {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  deprecated?: boolean;
  'x-stability'?: 'beta';
  'x-method-name'?: string;
  'x-transaction'?: 'own';
  'x-raw-body'?: true;
  'x-deprecation'?: { since: string; sunset: string; successor: string; documentation: string };
  /** `false` if the contract does not say how its list continues. */
  'x-pagination'?: Pagination | false;
  parameters?: (ParameterObject | { $ref: string })[];
  security?: SecurityRequirement[];
  requestBody?: RequestBodyObject;
  responses: Record<string, ResponseObject>;
};

/** The scopes that a key needs, by the name of the security scheme. */
type SecurityRequirement = Record<string, string[]>;

/** A request body. A body that several operations share has only `$ref`. */
export type RequestBodyObject = { $ref?: string; description?: string; required?: boolean; content?: Content };

/** A response. One that several operations share has only `$ref`. */
export type ResponseObject = {
  $ref?: string;
  description?: string;
  headers?: Record<string, HeaderObject>;
  content?: Content;
  links?: Record<string, { operationId?: string; parameters?: object; requestBody?: object }>;
};

export type Content = Record<string, MediaTypeObject>;
export type MediaTypeObject = {
  schema?: SchemaObject;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
  'x-max-bytes'?: number;
  'x-stream'?: boolean;
};

export type HeaderObject = {
  $ref?: string;
  description?: string;
  required?: boolean;
  example?: unknown;
  schema?: { const?: unknown; example?: unknown };
};

export type ParameterObject = {
  name: string;
  in: 'query' | 'path' | 'header';
  description?: string;
  required?: boolean;
  explode?: boolean;
  schema: SchemaObject;
};

export type SchemaObject = {
  $ref?: string;
  description?: string;
  type?: string;
  default?: unknown;
  enum?: string[];
  items?: SchemaObject;
  properties?: Record<string, SchemaObject>;
};

export type ErrorCodeRow = { status: number; cause: string; action: string };

/** The quotas of a contract: no plans if its keys have no quotas. */
export function rateLimitsOf({ 'x-rate-limits': limits }: Pick<ContractDocument, 'x-rate-limits'>) {
  return { plans: {}, ...limits } satisfies ContractDocument['x-rate-limits'];
}

/** The methods that the server serves. If a path has no HEAD or OPTIONS, it answers them itself. */
export const servedMethods: readonly Method[] = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/** Whether a method, in upper or lower case, only reads (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return /^(get|head|options)$/i.test(method);
}

/** An operation with its method (upper case), its path, and its parts with their references to components resolved. */
export type PlacedOperation = {
  method: string;
  path: string;
  operation: OperationObject;
  /** Those of the operation, after those of its path. */
  parameters: ParameterObject[];
  body: RequestBodyObject | undefined;
  responses: (ResponseObject & { status: string })[];
};

/** Every operation of the contract, in the order of the document. */
export function operationsOf(document: ContractDocument): PlacedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methodsOf(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) =>
        resolveParameter(document, parameter),
      ),
      body: operation.requestBody && resolved(document.components.requestBodies, operation.requestBody),
      responses: Object.entries(operation.responses).map(([status, response]) => ({
        status,
        ...responseOf(response, document),
      })),
    })),
  );
}

/** The operation that is shown first: a GET that can be called without parameters, if there is one. */
export function firstOperation(document: ContractDocument): PlacedOperation | undefined {
  const all = operationsOf(document);
  const gets = all.filter(({ method }) => method === 'GET');
  const isPlain = ({ parameters }: PlacedOperation) => parameters.every(({ required }) => required !== true);
  return gets.find(isPlain) ?? gets.find(({ path }) => !path.includes('{')) ?? gets[0] ?? all[0];
}

/** The operations of a path by method, in the order of the document. */
function methodsOf(item: PathItem): [Method, OperationObject][] {
  const order = Object.keys(item);
  return servedMethods
    .flatMap((method): [Method, OperationObject][] => (item[method] === undefined ? [] : [[method, item[method]]]))
    .sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
}

/** A response with its reference to a component resolved, and those of its headers. */
export function responseOf(response: ResponseObject, { components }: ContractDocument): ResponseObject {
  const { headers, ...found } = resolved(components.responses, response);
  if (headers === undefined) return found;
  const entries = Object.entries(headers).map(([name, header]) => [name, resolved(components.headers, header)]);
  return { ...found, headers: Object.fromEntries(entries) };
}

/** A parameter with its schema and the schema of its items. References to components are resolved. */
function resolveParameter(document: ContractDocument, parameter: ParameterObject | { $ref: string }): ParameterObject {
  const { schemas, parameters } = document.components;
  const found = '$ref' in parameter ? component(parameters, parameter.$ref) : parameter;
  const schema = resolved<SchemaObject>(schemas, found.schema);
  return {
    ...found,
    schema: schema.items ? { ...schema, items: resolved<SchemaObject>(schemas, schema.items) } : schema,
  };
}

/** A part of the contract with its reference to a component resolved. */
function resolved<Part extends { $ref?: string }>(group: Record<string, Part> | undefined, part: Part): Part {
  return part.$ref === undefined ? part : component(group ?? {}, part.$ref);
}

/** The component that a reference names. */
function component<Part>(group: Record<string, Part>, reference: string): Part {
  const found = group[nameOfReference(reference)];
  if (found === undefined) throw new Error(`The contract has no ${reference}.`);
  return found;
}

/** The node itself, or what its `$ref` leads to. */
export function resolve(document: unknown, node: unknown): unknown {
  const reference = dig(node, '$ref');
  return typeof reference === 'string' ? resolve(document, targetOf(document, reference)) : node;
}

/** The name of the component that a reference leads to: `Note` for `#/components/schemas/Note`. */
export function nameOfReference(reference: string): string {
  return keysOfReference(reference).at(-1) ?? '';
}

/** How the server reads and writes a media type. */
export function kindOf(type: string): 'json' | 'lines' | 'events' | 'text' | 'binary' | 'form' {
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  if (type === 'application/x-ndjson' || type === 'application/jsonl') return 'lines';
  if (type === 'text/event-stream') return 'events';
  if (type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded') return 'form';
  return type.startsWith('text/') ? 'text' : 'binary';
}

/** The prefix of keys: `x-key-prefix`, or the one in the `bearerFormat` of a security scheme, such as `tn` in `tn_live_… or tn_test_…`. */
export function keyPrefix(document: unknown): string | undefined {
  const own = dig(document, 'x-key-prefix');
  if (typeof own === 'string') return own;
  const schemes = entriesOf(dig(document, 'components', 'securitySchemes'));
  return schemes
    .map(([, scheme]) => /^([a-z0-9]{1,12})_live_/.exec(String(dig(scheme, 'bearerFormat')))?.[1])
    .find((prefix) => prefix !== undefined);
}
