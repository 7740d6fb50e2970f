import type { Contract, OperationFacts } from '../common/facts.ts';
import type { AnyResult } from './operation.ts';

/** A contract, parsed once, as far as the service reads it: any OpenAPI document. The tools know what lint has checked. Do not change its parts. */
export type OpenApiDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, ContractPart>>>>;
};

/** The operations by method, and the parameters that all of them share. */
type PathItem = Readonly<Record<string, ContractOperation>> & { readonly parameters?: readonly ContractPart[] };

/** A parameter, header, body, response, schema or example, or a reference to one. */
export type ContractPart = {
  readonly $ref?: string;
  readonly in?: string;
  readonly name?: string;
  /** A schema has a list. */
  readonly required?: boolean | readonly string[];
  readonly schema?: ContractPart;
  readonly content?: Readonly<Record<string, ContractPart>>;
  readonly headers?: Readonly<Record<string, ContractPart>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly example?: unknown;
  /** A schema has a list of values instead. */
  readonly examples?: Readonly<Record<string, ContractPart>>;
  readonly value?: unknown;
};

type ContractOperation = {
  readonly operationId?: string;
  readonly parameters?: readonly ContractPart[];
  readonly requestBody?: ContractPart;
  readonly responses?: Readonly<Record<string, ContractPart>>;
};

export function operationIn(
  document: OpenApiDocument,
  { method, path }: Pick<OperationFacts, 'method' | 'path'>,
): ContractOperation {
  return document.paths[path]?.[method.toLowerCase()] ?? {};
}

/** What a table by status has for a status: the row of the status itself or, for an error, that of its range or `default`. */
export function rowOf<Row>(table: Readonly<Record<string, Row>> = {}, status: number): Row | undefined {
  const exact = table[status];
  return exact !== undefined || status < 400 ? exact : (table[status < 500 ? '4XX' : '5XX'] ?? table['default']);
}

/**
 * The contract reduced to the requests of one operation and the components that they refer to, because the validator
 * keeps an index of its document in memory. It shares its parts with the whole contract: do not change them.
 */
export function operationDocument(facts: OperationFacts, { version, basePath }: Contract, document: OpenApiDocument) {
  const { method, path } = facts;
  const declared = operationIn(document, facts);
  const parameters = declaredParameters(facts, document).map(forValidator);
  const requestBody = validatedBody(facts, resolved(declared.requestBody, document));
  // response-check.ts checks responses.
  const operation = { ...declared, parameters, requestBody, responses: {} };
  return withConditions(
    withoutExamples({
      openapi: document.openapi,
      info: { title: document.info.title, version },
      servers: [{ url: basePath === '' ? '/' : basePath }],
      // Express reads a name such as note-id in quotation marks only.
      paths: { [path.replaceAll(/\{([^{}]+)\}/g, '{"$1"}')]: { [method.toLowerCase()]: operation } },
      components: componentsOf(operation, document),
    }),
  );
}

/**
 * Allows `'` and `:` in query parameters without encoding, as RFC 3986 does: `encodeURIComponent` does not encode `'`.
 * Also allows requests without a required If-Match: the server itself responds to them with 428, and the validator
 * would with 400.
 */
function forValidator(declared: Parameter): Parameter & { allowReserved?: boolean } {
  if (declared.in === 'query') return { ...declared, allowReserved: true };
  return isIfMatch(declared) ? { ...declared, required: false } : declared;
}

type Parameter = ContractPart & { readonly in: string; readonly name: string };

function isParameter(part: ContractPart | undefined): part is Parameter {
  return part?.in !== undefined && part.name !== undefined;
}

function isIfMatch(parameter: Parameter): boolean {
  return parameter.in === 'header' && parameter.name.toLowerCase() === 'if-match';
}

export function requiresIfMatch(facts: OperationFacts, document: OpenApiDocument): boolean {
  return declaredParameters(facts, document).some((parameter) => isIfMatch(parameter) && parameter.required === true);
}

/**
 * The first successful response of an operation, in the media type that the caller prefers, with the examples of its
 * body and required headers. Bytes and streams without an example are empty. Undefined if another example is missing.
 */
export function exampleResult(
  facts: OperationFacts,
  document: OpenApiDocument,
  accept: string | undefined,
): AnyResult | undefined {
  const [first] = Object.entries(facts.responses);
  if (first === undefined) return undefined;
  const [name, { mediaTypes }] = first;
  const status = Number(name);
  const response = resolved(operationIn(document, facts).responses?.[status], document);
  const names = facts.requiredHeaders[status] ?? [];
  const headers = Object.fromEntries(names.map((each) => [each, exampleOf(response?.headers?.[each], document)]));
  if (Object.values(headers).includes(undefined)) return undefined;
  const types = Object.entries(mediaTypes);
  const [contentType, media] = types.find(([type]) => type === accept) ?? types[0] ?? [];
  if (contentType === undefined) return { status, headers };
  const example = exampleOf(response?.content?.[contentType], document);
  if (media?.stream === true) return { status, headers, contentType, body: streamOf(example) };
  const body = example === undefined && media?.kind === 'binary' ? '' : example;
  return body === undefined ? undefined : { status, headers, contentType, body };
}

/** The first example of a body or header, or of its schema. */
function exampleOf(part: ContractPart | undefined, document: OpenApiDocument): unknown {
  const { example, examples = {}, schema } = resolved(part, document) ?? {};
  const ofSchema = resolved(schema, document);
  const named = resolved(Object.values(examples)[0], document)?.value;
  const ofSchemas = [ofSchema?.example, ofSchema?.const, ...Object.values(ofSchema?.examples ?? {})];
  return [named, example, ...ofSchemas].find((value) => value !== undefined);
}

async function* streamOf(item: unknown): AsyncGenerator<unknown> {
  if (item !== undefined) yield item;
}

/** The parameters of an operation and of its path, with their references followed. */
export function declaredParameters(facts: OperationFacts, document: OpenApiDocument): Parameter[] {
  const shared = document.paths[facts.path]?.parameters ?? [];
  const declared = [...shared, ...(operationIn(document, facts).parameters ?? [])];
  return declared.map((parameter) => resolved(parameter, document)).filter(isParameter);
}

/** A part of the contract with its reference to a component followed. */
export function resolved<Part extends ContractPart | undefined>(
  part: Part,
  document: OpenApiDocument,
): ContractPart | Part {
  const [[group, name] = ['', '']] = referencesIn(part?.$ref);
  return document.components?.[group]?.[name] ?? part;
}

/** What a reference such as `#/paths/~1notes/get` leads to, which may be another reference; undefined if it leads nowhere. */
export function targetOf(document: unknown, reference: string): unknown {
  const own = (node: unknown, key: string): unknown =>
    Object.hasOwn(Object(node), key) ? Object(node)[key] : undefined;
  return keysOfReference(reference).reduce(own, document);
}

/** The keys of a reference within the document, which is a URI fragment (RFC 6901, section 6). */
export function keysOfReference(reference: string): string[] {
  const keys = decodeURIComponent(reference).split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function withConditions<Part>(part: Part): Part;
function withConditions(part: unknown): unknown {
  if (Array.isArray(part)) return part.map((each) => withConditions(each));
  if (typeof part !== 'object' || part === null) return part;
  return withoutDiscriminator(
    Object.fromEntries(Object.entries(part).map(([key, child]) => [key, withConditions(child)])),
  );
}

/**
 * A schema in which conditions take the place of its `discriminator`: if the property has a value, the schema of that value applies. The
 * validator itself applies the wrong alternative of a discriminator, and with `oneOf` alone it would report the problems of all alternatives.
 */
export function withoutDiscriminator(schema: object): object {
  if (!isDiscriminated(schema)) return schema;
  const { oneOf, discriminator, ...rest } = schema;
  const { propertyName, mapping = {} } = discriminator;
  const alternatives = oneOf.flatMap(({ $ref }) => {
    const values = Object.keys(mapping).filter((value) => mapping[value] === $ref);
    return (values.length > 0 ? values : [$ref.split('/').at(-1)]).map((value) => ({ value, $ref }));
  });
  const property = { enum: alternatives.map(({ value }) => value) };
  const conditions = alternatives.map(({ value, $ref }) => ({
    if: { required: [propertyName], properties: { [propertyName]: { const: value } } },
    // biome-ignore lint/suspicious/noThenProperty: A keyword of JSON Schema.
    then: { $ref },
  }));
  return {
    ...rest,
    type: 'object',
    required: [propertyName],
    properties: { [propertyName]: property },
    allOf: conditions,
  };
}

type Discriminated = {
  oneOf: { $ref: string }[];
  discriminator: { propertyName: string; mapping?: Record<string, string> };
};

function isDiscriminated(schema: object): schema is Discriminated {
  if (!('discriminator' in schema && 'oneOf' in schema && Array.isArray(schema.oneOf))) return false;
  return schema.oneOf.every((one) => typeof Object(one).$ref === 'string');
}

/** Keywords whose values have names of the contract as keys. */
const byName =
  /^(properties|patternProperties|dependentSchemas|\$defs|schemas|responses|parameters|headers|requestBodies|securitySchemes)$/;

/** A part of the contract without examples, and without IDs, which would give its references other meanings. */
export function withoutExamples<Part>(part: Part, isByName?: boolean): Part;
export function withoutExamples(part: unknown, isByName = false): unknown {
  if (Array.isArray(part)) return part.map((one) => withoutExamples(one));
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key]) => isByName || !/^(examples?|\$id)$/.test(key));
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutExamples(child, !isByName && byName.test(key))]));
}

/** Whether the validator checks the bodies of a media type. Bytes and streams have no schema to check. */
export function isValidated({ requestBody }: OperationFacts, mediaType: string): boolean {
  const type = requestBody?.mediaTypes[mediaType];
  if (type === undefined) return false;
  return !type.stream && type.kind !== 'binary';
}

/** For the validator, multipart/form-data gets another name, because it would read a list of one number as a number. */
export function nameForValidator(mediaType: string): string {
  return mediaType === 'multipart/form-data' ? 'application/x-form-data' : mediaType;
}

function validatedBody(facts: OperationFacts, requestBody: ContractPart | undefined) {
  if (requestBody === undefined) return undefined;
  const { content = {}, required } = requestBody;
  const types = Object.entries(content);
  const validated = types.filter(([type]) => isValidated(facts, type));
  // The validator accepts a body of another type only as one that is missing.
  const isRequired = required === true && validated.length === types.length;
  const named = validated.map(([type, media]) => [nameForValidator(type), media]);
  return validated.length === 0 ? undefined : { required: isRequired, content: Object.fromEntries(named) };
}

/** The components that a part of the contract refers to, directly or indirectly, by group. */
function componentsOf(part: unknown, document: OpenApiDocument): Record<string, Record<string, ContractPart>> {
  const components: Record<string, Record<string, ContractPart>> = {};
  const waiting = [part];
  while (waiting.length > 0) {
    for (const [group, name] of referencesIn(waiting.pop())) {
      const component = document.components?.[group]?.[name];
      if (component === undefined || components[group]?.[name] !== undefined) continue;
      components[group] = { ...components[group], [name]: component };
      waiting.push(component);
    }
  }
  return components;
}

/** Every reference to a component: the values of `$ref`, and those of a discriminator's `mapping`. */
function* referencesIn(node: unknown): Generator<[group: string, name: string]> {
  if (typeof node === 'string') {
    const [, group, name] = /^#\/components\/([^/]+)\/([^/]+)/.exec(node) ?? [];
    if (group !== undefined && name !== undefined) yield [group, name];
    return;
  }
  if (typeof node !== 'object' || node === null) return;
  for (const child of Object.values(node)) yield* referencesIn(child);
}
