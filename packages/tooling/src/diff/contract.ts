import { readFileSync } from 'node:fs';
import { isMap, isPair, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { dig, entriesOf, keysOf, toPointer } from '../common/json.ts';

/** A contract, and the line of its file for each part. */
export type Contract = {
  file: string;
  document: unknown;
  /** The line of a JSON pointer, or of the nearest part around it. */
  lineOf: (pointer: string) => number;
};

/** An operation of a contract. `key` is the method and the path or the webhook, the same in every version. */
export type FoundOperation = {
  key: string;
  id: string;
  section: Section;
  path: string;
  method: string;
  /** Its JSON pointer. */
  at: string;
  operation: unknown;
};

/** The operations that the server serves, and the webhooks, which it sends to receivers. */
type Section = 'paths' | 'webhooks';

const sections: readonly Section[] = ['paths', 'webhooks'];

const methods = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']);

/** Whether this key of a path item is a method, and its value an operation. */
function isMethod(key: string): boolean {
  return methods.has(key);
}

/** Reads a contract of one file. Throws an error with the line if it is not valid YAML. */
export function readContract(file: string, name = file): Contract {
  return parseContract(readFileSync(file, 'utf8'), name);
}

export function parseContract(text: string, file: string): Contract {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines });
  const [problem] = parsed.errors;
  if (problem !== undefined) throw new Error(`${file}: ${problem.message}`);
  return {
    file,
    document: parsed.toJS(),
    lineOf: (pointer) => lines.linePos(offsetOf(parsed.contents, keysOf(pointer))).line,
  };
}

/** Every operation, in the order of the contract; those of webhooks last. */
export function operationsIn(document: unknown): FoundOperation[] {
  return sections.flatMap((section) =>
    entriesOf(dig(document, section)).flatMap(([path, item]) =>
      entriesOf(item)
        .filter(([method]) => isMethod(method))
        .map(([method, operation]) => {
          const key = `${method.toUpperCase()} ${section === 'paths' ? path : `webhook ${path}`}`;
          const id = String(dig(operation, 'operationId') ?? key);
          return { key, id, section, path, method, at: toPointer([section, path, method]), operation };
        }),
    ),
  );
}

/** Whether the operation may change within v1. */
export function isBeta(operation: unknown): boolean {
  return dig(operation, 'x-stability') === 'beta';
}

export function versionOf(document: unknown): string {
  return String(dig(document, 'info', 'version'));
}

function offsetOf(contents: Node | null, keys: readonly string[]): number {
  let node: unknown = contents;
  let offset = 0;
  for (const key of keys) {
    const next = childOf(node, key);
    if (next === undefined) break;
    [node, offset] = [next.value, next.offset];
  }
  return offset;
}

function childOf(node: unknown, key: string): { value: unknown; offset: number } | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(key)];
    return value === undefined ? undefined : { value, offset: startOf(value) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => isPair(item) && String(item.key) === key);
  return pair === undefined ? undefined : { value: pair.value, offset: startOf(pair.key) };
}

function startOf(node: unknown): number {
  const start = dig(node, 'range', '0');
  return typeof start === 'number' ? start : 0;
}

/**
 * The part of a contract that some of its operations use: the operations and the components that they use. Components
 * that only other operations use are left out.
 */
export function partOf(document: unknown, isKept: (operation: FoundOperation) => boolean): object {
  const kept = new Set(
    operationsIn(document)
      .filter(isKept)
      .map(({ at }) => at),
  );
  const parts = sections.map((section) => [section, itemsOf(document, section, kept)] as const);
  const part = { ...recordOf(document), ...Object.fromEntries(parts), security: undefined };
  return { ...part, components: reachedComponents(document, parts) };
}

/** The paths or webhooks of a document with the operations that are kept, each with its `security`. */
function itemsOf(document: unknown, section: Section, kept: ReadonlySet<string>): object | undefined {
  const items = entriesOf(dig(document, section)).flatMap(([path, item]) => {
    const entries = entriesOf(item)
      .filter(([key]) => !isMethod(key) || kept.has(toPointer([section, path, key])))
      .map(([key, value]) => [key, isMethod(key) ? withSecurity(value, document, section) : value]);
    return entries.some(([key]) => isMethod(String(key))) ? [[path, Object.fromEntries(entries)]] : [];
  });
  // Redocly reports an empty list of webhooks as an addition.
  return section === 'webhooks' && items.length === 0 ? undefined : Object.fromEntries(items);
}

/** The components (`#/components/schemas/Note`) that a part of a document reaches through its references. */
export function reachedFrom(document: unknown, part: unknown): Set<string> {
  const reached = new Set<string>();
  const waiting: unknown[] = [part];
  while (waiting.length > 0) {
    for (const [key, value] of entriesOf(waiting.pop())) {
      if (typeof value === 'object') waiting.push(value);
      if (key !== '$ref' || typeof value !== 'string') continue;
      const [root, kind = '', name = ''] = keysOf(value);
      const component = `#/components/${kind}/${name}`;
      if (root !== 'components' || reached.has(component)) continue;
      reached.add(component);
      waiting.push(dig(document, 'components', kind, name));
    }
  }
  return reached;
}

/**
 * Redocly reports the first `security` of an operation as a new requirement, even if it repeats the `security` of the document. It
 * compares scopes as sets, so each scope is written together with the scopes that it includes. Before scopes existed, every key had
 * both.
 */
function withSecurity(operation: unknown, document: unknown, section: Section): object {
  // Deliveries do not have an API key.
  if (section === 'webhooks') return { ...recordOf(operation), security: undefined };
  const security = entriesOf(dig(operation, 'security') ?? dig(document, 'security')).map(([, requirement]) =>
    Object.fromEntries(
      entriesOf(requirement).map(([scheme, scopes]) => [scheme, scheme === 'apiKey' ? includedScopes(scopes) : scopes]),
    ),
  );
  return { ...recordOf(operation), security };
}

function includedScopes(scopes: unknown): unknown {
  if (!Array.isArray(scopes)) return scopes;
  return scopes.length === 0 || scopes.includes('write') ? [...new Set(['read', 'write', ...scopes])] : scopes;
}

function reachedComponents(document: unknown, paths: unknown): object {
  const reached = reachedFrom(document, paths);
  const kinds = entriesOf(dig(document, 'components')).map(([kind, components]) => {
    // Security schemes are used by name, not by reference.
    if (kind === 'securitySchemes') return [kind, components];
    return [
      kind,
      Object.fromEntries(entriesOf(components).filter(([name]) => reached.has(`#/components/${kind}/${name}`))),
    ];
  });
  return Object.fromEntries(kinds);
}

function recordOf(value: unknown): Record<string, unknown> {
  return Object.fromEntries(entriesOf(value));
}
