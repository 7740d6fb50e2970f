import type { CompiledOperation, Route } from './compiled-contract.ts';

type Node = {
  literal: Map<string, Node>;
  /** Segments with parameters, such as `{id}` and `{id}.pdf`. Those that have only a parameter are last. */
  patterns: { shape: string; expression: RegExp; names: string[]; node: Node }[];
  operations: Map<string, CompiledOperation>;
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
    end.operations.set(method, operation);
  }
  return (method: string, path: string): Route => {
    const parameters: Record<string, string> = {};
    const found = walk(top, path, 0, parameters);
    if (found === undefined) return { kind: 'unknown' };
    // HEAD is GET without a body, unless it is an operation of its own.
    const operation = found.operations.get(method) ?? (method === 'HEAD' ? found.operations.get('GET') : undefined);
    if (operation === undefined) return { kind: 'wrong-method', allow: allowedMethods(found) };
    return decodeAll(parameters) ? { kind: 'operation', operation, parameters } : { kind: 'malformed' };
  };
}

/** Finds the node for the rest of a path from `start`, and collects the undecoded path parameters. */
function walk(node: Node, path: string, start: number, parameters: Record<string, string>): Node | undefined {
  if (start > path.length) return node.operations.size > 0 ? node : undefined;
  const slash = path.indexOf('/', start);
  const end = slash === -1 ? path.length : slash;
  const segment = path.slice(start, end);
  const literal = node.literal.get(segment);
  const found = literal && walk(literal, path, end + 1, parameters);
  if (found !== undefined || segment === '') return found;
  for (const { expression, names, node: next } of node.patterns) {
    const values = expression === whole ? [segment] : expression.exec(segment)?.slice(1);
    const matched = values && walk(next, path, end + 1, parameters);
    if (matched === undefined) continue;
    for (const [index, name] of names.entries()) parameters[name] = values?.[index] ?? '';
    return matched;
  }
  return undefined;
}

/** Decodes the parameters in place. Returns false if one of them cannot be decoded. */
function decodeAll(parameters: Record<string, string>): boolean {
  for (const name in parameters) {
    const sent = parameters[name] ?? '';
    if (!sent.includes('%')) continue;
    try {
      parameters[name] = decodeURIComponent(sent);
    } catch {
      return false;
    }
  }
  return true;
}

function allowedMethods(node: Node): string {
  const methods = new Set(node.operations.keys());
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].join(', ');
}

/** A segment that is a parameter. */
const whole = /^(.+)$/;

function descend(node: Node, segment: string): Node {
  const parts = segment.split(/\{([^{}]+)\}/);
  if (parts.length === 1) {
    const next = node.literal.get(segment) ?? emptyNode();
    node.literal.set(segment, next);
    return next;
  }
  const shape = parts.filter((_, index) => index % 2 === 0).join('{}');
  const known = node.patterns.find((pattern) => pattern.shape === shape);
  if (known !== undefined) return known.node;
  const text = shape.replace(/[^\w{}]/g, '\\$&').replaceAll('{}', '(.+?)');
  const names = parts.filter((_, index) => index % 2 === 1);
  const created = { shape, expression: shape === '{}' ? whole : new RegExp(`^${text}$`), names, node: emptyNode() };
  if (shape === '{}') node.patterns.push(created);
  else node.patterns.unshift(created);
  return created.node;
}

function emptyNode(): Node {
  return { literal: new Map(), patterns: [], operations: new Map() };
}
