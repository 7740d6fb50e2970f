import type { CompiledOperation, Route } from './compiled-contract.ts';

type Node = {
  literal: Map<string, Node>;
  /** Segments with parameters, such as `{id}` and `{id}.pdf`. Those that have only a parameter are last. */
  patterns: { shape: string; expression: RegExp; node: Node }[];
  operations: Map<string, { operation: CompiledOperation; names: string[] }>;
};

/**
 * The `findRoute` of a contract. Its cost depends on the length of the path only; Express would try the expressions of all operations in turn,
 * and knows neither the `Allow` of a 405 nor a path that is unknown.
 */
export function createRouter(basePath: string, operations: Iterable<CompiledOperation>) {
  const top = emptyNode();
  for (const operation of operations) {
    const { method, path } = operation.facts;
    const end = `${basePath}${path}`.split('/').reduce(descend, top);
    end.operations.set(method, { operation, names: path.split(parameter).filter((_, index) => index % 2 === 1) });
  }
  return (method: string, path: string): Route => {
    const values: string[] = [];
    const found = walk(top, path, 0, values);
    if (found === undefined) return { kind: 'unknown' };
    // HEAD is GET without a body, unless it is an operation of its own.
    const served = found.operations.get(method) ?? (method === 'HEAD' ? found.operations.get('GET') : undefined);
    if (served === undefined) return { kind: 'wrong-method', allow: allowedMethods(found) };
    const parameters = decoded(served.names, values);
    const { operation } = served;
    return parameters === undefined ? { kind: 'malformed' } : { kind: 'operation', operation, parameters };
  };
}

/** Finds the node for the rest of a path from `start`, and collects the values of its parameters as they were sent. */
function walk(node: Node, path: string, start: number, values: string[]): Node | undefined {
  if (start > path.length) return node.operations.size > 0 ? node : undefined;
  const slash = path.indexOf('/', start);
  const end = slash === -1 ? path.length : slash;
  const segment = path.slice(start, end);
  const literal = node.literal.get(segment);
  const found = literal && walk(literal, path, end + 1, values);
  if (found !== undefined || segment === '') return found;
  for (const { expression, node: next } of node.patterns) {
    const own = expression === whole ? [segment] : expression.exec(segment)?.slice(1);
    const matched = own && walk(next, path, end + 1, values);
    if (own === undefined || matched === undefined) continue;
    // Those of the rest of the path are already there.
    values.unshift(...own);
    return matched;
  }
  return undefined;
}

/** The parameters by their names; undefined if one of them cannot be decoded. */
function decoded(names: readonly string[], values: readonly string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const sent = values[index] ?? '';
    try {
      parameters[name] = sent.includes('%') ? decodeURIComponent(sent) : sent;
    } catch {
      return undefined;
    }
  }
  return parameters;
}

function allowedMethods(node: Node): string {
  const methods = new Set(node.operations.keys());
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].join(', ');
}

const parameter = /\{([^{}]+)\}/;
/** A segment that is a parameter. */
const whole = /^(.+)$/;

function descend(node: Node, segment: string): Node {
  const parts = segment.split(parameter);
  if (parts.length === 1) {
    const next = node.literal.get(segment) ?? emptyNode();
    node.literal.set(segment, next);
    return next;
  }
  const shape = parts.filter((_, index) => index % 2 === 0).join('{}');
  const known = node.patterns.find((pattern) => pattern.shape === shape);
  if (known !== undefined) return known.node;
  const text = shape.replace(/[^\w{}]/g, '\\$&').replaceAll('{}', '(.+?)');
  const created = { shape, expression: shape === '{}' ? whole : new RegExp(`^${text}$`), node: emptyNode() };
  if (shape === '{}') node.patterns.push(created);
  else node.patterns.unshift(created);
  return created.node;
}

function emptyNode(): Node {
  return { literal: new Map(), patterns: [], operations: new Map() };
}
