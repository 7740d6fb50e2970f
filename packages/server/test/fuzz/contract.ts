import { targetOf } from '../../../tooling/src/contract/document.ts';
import { isRecord, readSchema, type Schema, typeOf, UnknownPartError } from './schema.ts';

/** The requests and responses of an operation in the contract, with references resolved. */
export type FuzzedOperation = {
  id: string;
  /** In upper case. */
  method: string;
  /** With the base path; parameters in braces. */
  path: string;
  /** All methods that its path answers, as `Allow` names them. */
  allowed: string[];
  /** The scope that a key needs; "public" if the operation needs no key. */
  access: 'public' | 'read' | 'write';
  parameters: FuzzedParameter[];
  body: { required: boolean; media: FuzzedMedia[] } | undefined;
  /** By status. */
  responses: Map<number, FuzzedResponse>;
};

export type FuzzedParameter = { in: 'query' | 'path' | 'header'; name: string; required: boolean; schema: Schema };

/** A media type of a request body, which is JSON. */
export type FuzzedMedia = { type: string; schema: Schema; maxBytes: number; examples: unknown[] };

/** The media types of a response, and the error codes in its examples. */
type FuzzedResponse = { types: string[]; codes: string[] };

type Node = Record<string, unknown>;

const methodNames = ['get', 'put', 'post', 'delete', 'patch'];

/**
 * Reads the operations of a contract, and prints why it leaves one out: it may use something that the fuzzer does not know. It does not use the reader of the tools, from which the server's constants come: a mistake there
 * would be the same on both sides, and no request would show it.
 */
export function fuzzedOperations(document: Node): FuzzedOperation[] {
  const reader = createReader(document);
  return Object.entries(nodeOf(document['paths'])).flatMap(([path, item]) => {
    const methods = Object.keys(nodeOf(item)).filter((name) => methodNames.includes(name));
    return methods.flatMap((method) => {
      try {
        return [reader.operation(path, method, nodeOf(item))];
      } catch (error) {
        if (!(error instanceof UnknownPartError)) throw error;
        console.warn(error.message);
        return [];
      }
    });
  });
}

function createReader(document: Node) {
  const resolve = (node: unknown, where: string) => resolveReferences(document, node, where);
  const limits = nodeOf(document['x-limits']);

  return { operation };

  function operation(path: string, method: string, item: Node): FuzzedOperation {
    const declared = nodeOf(item[method]);
    const id = String(declared['operationId']);
    const parameters = [...listOf(item['parameters']), ...listOf(declared['parameters'])];
    // The server documents each of its statuses; a range or default is for those that it does not know.
    const responses = Object.entries(nodeOf(declared['responses'])).filter(([status]) => /^\d{3}$/.test(status));
    const methods = Object.keys(item).filter((name) => methodNames.includes(name));
    return {
      id,
      method: method.toUpperCase(),
      path: `${basePathOf(document)}${path}`,
      allowed: [...methods.map((name) => name.toUpperCase()), ...(methods.includes('get') ? ['HEAD'] : []), 'OPTIONS'],
      access: accessOf(id, declared['security'] ?? document['security']),
      parameters: parameters.map((parameter) => readParameter(id, nodeOf(resolve(parameter, id)))),
      body:
        declared['requestBody'] === undefined ? undefined : readBody(id, nodeOf(resolve(declared['requestBody'], id))),
      responses: new Map(
        responses.map(([status, response]) => [Number(status), readResponse(`${id} ${status}`, response)]),
      ),
    };
  }

  function readBody(id: string, requestBody: Node): FuzzedOperation['body'] {
    const media = Object.entries(nodeOf(requestBody['content'])).map(([type, given]): FuzzedMedia => {
      const where = `${id} body`;
      if (!isJson(type)) throw new UnknownPartError(`${where}: the fuzzer does not know bodies of ${type}.`);
      const { schema, 'x-max-bytes': maxBytes = limits['bodyBytes'] } = nodeOf(given);
      return {
        type,
        schema: readSchema(schema, where),
        maxBytes: Number(maxBytes),
        examples: examplesOf(nodeOf(given), schema),
      };
    });
    return { required: requestBody['required'] === true, media };
  }

  function readResponse(where: string, given: unknown): FuzzedResponse {
    if (!/ [1-5][0-9]{2}$/.test(where))
      throw new UnknownPartError(`${where}: the fuzzer knows responses of one status only.`);
    const response = nodeOf(resolve(given, where));
    const content = Object.entries(nodeOf(response['content']));
    const examples = content.flatMap(([, media]) => examplesOf(nodeOf(media), undefined));
    return {
      types: content.map(([type]) => type),
      codes: examples.flatMap((example) => (isRecord(example) && 'code' in example ? [String(example['code'])] : [])),
    };
  }
}

/** The node with every reference in it resolved. */
function resolveReferences(document: Node, node: unknown, where: string, open: readonly string[] = []): unknown {
  if (Array.isArray(node)) return node.map((entry) => resolveReferences(document, entry, where, open));
  if (!isRecord(node)) return node;
  const { $ref: reference, ...siblings } = node;
  if (typeof reference === 'string') {
    if (open.includes(reference))
      throw new UnknownPartError(`${where}: the fuzzer does not know ${reference}, which contains itself.`);
    const found = resolveReferences(document, named(document, reference), where, [...open, reference]);
    return isRecord(found) ? { ...found, ...siblings } : found;
  }
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, resolveReferences(document, value, where, open)]),
  );
}

function named(document: Node, reference: string): unknown {
  const found = targetOf(document, reference);
  if (found === undefined) throw new Error(`The contract has no ${reference}.`);
  return found;
}

/** The path of the first server. */
function basePathOf({ servers }: Node): string {
  const { url, variables } = nodeOf(listOf(servers)[0]);
  const filled = String(url).replaceAll(/\{(\w+)\}/g, (_, name) => String(nodeOf(nodeOf(variables)[name])['default']));
  return new URL(filled, 'http://localhost').pathname.replace(/\/$/, '');
}

function accessOf(id: string, security: unknown): FuzzedOperation['access'] {
  const requirements = listOf(security);
  if (requirements.length === 0) return 'public';
  const schemes = Object.values(nodeOf(requirements[0]));
  if (requirements.length > 1 || schemes.length !== 1) {
    throw new UnknownPartError(`${id}: the fuzzer knows one security requirement with one scheme.`);
  }
  // Scopes of other names are not those of keys: a target of such a contract has no key with the scope read.
  return listOf(schemes[0]).includes('write') ? 'write' : 'read';
}

function readParameter(id: string, parameter: Node): FuzzedParameter {
  const { in: place, name, schema, style, explode = true } = parameter;
  const where = `${id} ${place}/${name}`;
  if (place !== 'query' && place !== 'path' && place !== 'header')
    throw new UnknownPartError(`${where}: the fuzzer does not know this place.`);
  if (style !== undefined && style !== (place === 'query' ? 'form' : 'simple')) {
    throw new UnknownPartError(`${where}: the fuzzer does not know the style ${style}.`);
  }
  const read = readSchema(schema, where);
  const one = typeOf(read) === 'array' && place === 'query' && explode === true ? (read.items ?? {}) : read;
  if (!['string', 'integer', 'boolean'].includes(String(one.type ?? typeof one.enum?.[0]))) {
    throw new UnknownPartError(
      `${where}: the fuzzer knows texts, integers and booleans as parameters, and lists of them in the query.`,
    );
  }
  return { in: place, name: String(name), required: parameter['required'] === true, schema: read };
}

function isJson(type: string): boolean {
  return /^application\/(.+\+)?json$/.test(type);
}

function examplesOf(media: Node, schema: unknown): unknown[] {
  const { example = nodeOf(schema)['example'], examples } = media;
  const named = Object.values(nodeOf(examples)).map((given) => nodeOf(given)['value']);
  return named.length > 0 || example === undefined ? named : [example];
}

function nodeOf(value: unknown): Node {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
