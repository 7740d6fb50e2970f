import { basePath } from '@animal-store/contract';
import { type ContractDocument, operationsOf } from '../../../../../scripts/generate/document.ts';
import { factsOf } from '../../../../../scripts/new/contract/facts.ts';
import { isRecord, readSchema, type Schema } from '../schemas/schema.ts';

/** What the contract says of an operation's requests and responses, references resolved. */
export type FuzzedOperation = {
  id: string;
  /** In upper case. */
  method: string;
  /** With the base path; parameters in braces. */
  path: string;
  /** All methods that its path answers, as `Allow` names them. */
  allowed: string[];
  parameters: FuzzedParameter[];
  body: { required: boolean; schema: Schema; examples: unknown[] } | undefined;
  /** The error codes of each documented status, by the examples of its response. */
  codes: Map<number, string[]>;
};

export type FuzzedParameter = { in: 'query' | 'path' | 'header'; name: string; required: boolean; schema: Schema };

/** Reads every operation of a contract. Throws where it says something that the fuzzer cannot generate requests for. */
export function fuzzedOperations(document: ContractDocument): FuzzedOperation[] {
  const whole = JSON.parse(JSON.stringify(resolved(document, document)));
  const facts = new Map(factsOf(whole).map((fact) => [fact.id, fact]));
  return operationsOf(whole).map(({ method, path, operation, parameters }) => {
    const fact = facts.get(operation.operationId);
    return {
      id: operation.operationId,
      method,
      path: `${basePath}${path}`,
      allowed: allowedMethods(whole, path),
      parameters: parameters.map((parameter) => readParameter(operation.operationId, parameter)),
      body: readBody(operation, fact?.body?.examples ?? []),
      codes: new Map(fact?.replies.map(({ status, errors }) => [status, errors.map(({ code }) => code)])),
    };
  });
}

function readParameter(id: string, parameter: { in: FuzzedParameter['in']; name: string; schema: unknown }) {
  const { in: place, name, schema } = parameter;
  const where = `${place}/${name}`;
  if (!['query', 'path', 'header'].includes(place))
    throw new Error(`${id} ${where}: the fuzzer does not know this place.`);
  const required = 'required' in parameter && parameter.required === true;
  return { in: place, name, required, schema: readSchema(schema, `${id} ${where}`) };
}

function readBody(
  operation: { operationId: string; requestBody?: object },
  examples: unknown[],
): FuzzedOperation['body'] {
  const { operationId, requestBody } = operation;
  if (!isRecord(requestBody)) return undefined;
  const content = isRecord(requestBody['content']) ? requestBody['content'] : {};
  const [type, ...others] = Object.keys(content);
  const media = content[type ?? ''];
  if (type !== 'application/json' || others.length > 0 || !isRecord(media)) {
    throw new Error(`${operationId}: the fuzzer knows bodies of application/json only.`);
  }
  const schema = readSchema(media['schema'], `${operationId} body`);
  return { required: requestBody['required'] === true, schema, examples };
}

function allowedMethods(document: ContractDocument, path: string): string[] {
  const methods = operationsOf(document)
    .filter((operation) => operation.path === path)
    .map(({ method }) => method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

/** The node with every reference in it replaced by what it names. */
function resolved(document: unknown, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((entry) => resolved(document, entry));
  if (!isRecord(node)) return node;
  const { $ref: reference } = node;
  if (typeof reference === 'string') return resolved(document, named(document, reference));
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(document, value)]));
}

function named(document: unknown, reference: string): unknown {
  const keys = reference.slice(2).split('/');
  const found = keys.reduce((node: unknown, key) => (isRecord(node) ? node[key] : undefined), document);
  if (found === undefined) throw new Error(`The contract has no ${reference}.`);
  return found;
}
