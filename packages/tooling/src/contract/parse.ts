import { readFileSync } from 'node:fs';
import { type Document, isPair, isSeq, LineCounter, parseDocument } from 'yaml';
import { dig, entriesOf, keysOf, listOf, toPointer } from '../common/json.ts';
import { keysOfReference } from './document.ts';
import { jsonLines } from './json-lines.ts';

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
export type Section = 'paths' | 'webhooks';

export const sections: readonly Section[] = ['paths', 'webhooks'];

/** The methods of OpenAPI. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

type Sections = { [Name in Section]?: Record<string, object> };

/** Whether this key of a path item is a method, and its value an operation. */
export function isMethod(key: string): boolean {
  return methods.some((method) => method === key);
}

/** Reads a contract of one file. Throws an error with the line if it is not valid YAML. */
export function readContract(file: string, name = file): Contract {
  return parseContract(readFileSync(file, 'utf8'), name);
}

export function parseContract(text: string, file: string): Contract {
  const json = jsonIn(text);
  if (json !== undefined) return { file, document: json, lineOf: jsonLines(text) };
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, merge: true });
  const [problem] = parsed.errors;
  const [place] = problem?.linePos ?? [];
  if (problem !== undefined) throw new Error(`${file}:${place?.line}:${place?.col}: ${problem.message}`);
  return {
    file,
    document: toValue(parsed, file),
    lineOf: (pointer) => lines.linePos(offsetOf(parsed.contents, keysOf(pointer))).line,
  };
}

/** JSON is YAML, too, but a parser of JSON reads it in a tenth of the time and of the memory. One of two equal keys is lost, which YAML reports. */
function jsonIn(text: string): unknown {
  try {
    const document: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return repeatsKey(text, document) ? undefined : document;
  } catch {
    return undefined;
  }
}

function repeatsKey(text: string, document: unknown): boolean {
  let lost = 0;
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"\s*(:)?/g)) if (colon) lost += 1;
  const waiting = [document];
  while (waiting.length > 0) {
    const node = waiting.pop();
    const children = entriesOf(node);
    if (!Array.isArray(node)) lost -= children.length;
    for (const [, child] of children) waiting.push(child);
  }
  return lost > 0;
}

function toValue(parsed: Document, file: string): unknown {
  try {
    const value: unknown = parsed.toJS();
    JSON.stringify(value);
    return value;
  } catch (error) {
    throw new Error(`${file}: ${error instanceof TypeError ? 'An anchor contains itself.' : Object(error).message}`);
  }
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

/** The contract without the operations of a list, and without the deprecations that lead to one of them. */
export function without<Document extends Sections>(document: Document, operations: readonly string[]): Document {
  const copy = structuredClone(document);
  const removed = new Set<unknown>();
  for (const { key, id, section, path, method } of operationsIn(copy)) {
    if (!operations.includes(key)) continue;
    removed.add(id);
    const item: object = copy[section]?.[path] ?? {};
    Reflect.deleteProperty(item, method);
    if (!Object.keys(item).some(isMethod)) Reflect.deleteProperty(copy[section] ?? {}, path);
  }
  for (const { operation } of operationsIn(copy)) {
    if (removed.has(dig(operation, 'x-deprecation', 'successor')))
      Reflect.deleteProperty(Object(operation), 'x-deprecation');
  }
  return withoutUnused(copy);
}

/** The schemas that the service itself uses. */
const ofService = ['Error', 'ErrorCode', 'ErrorDetail'].map((name) => `#/components/schemas/${name}`);

/** The document without the components that nothing refers to. */
export function withoutUnused<Document extends object>(document: Document): Document {
  const { components: _, ...rest } = Object(document);
  return { ...rest, components: usedComponents(document, [rest, ...ofService.map(($ref) => ({ $ref }))]) };
}

/** The components that a part of a document reaches. Security schemes are used by name, not by reference: all of them stay. */
export function usedComponents(document: unknown, part: unknown): object {
  const reached = reachedFrom(document, part);
  const groups = entriesOf(dig(document, 'components')).map(([group, all]) => {
    const isUsed = (name: string) => group === 'securitySchemes' || reached.has(`#/components/${group}/${name}`);
    return [group, Object.fromEntries(entriesOf(all).filter(([name]) => isUsed(name)))];
  });
  return Object.fromEntries(groups);
}

/** Whether the operation may change within v1. */
export function isBeta(operation: unknown): boolean {
  return dig(operation, 'x-stability') === 'beta';
}

export function versionOf(document: unknown): string {
  return String(dig(document, 'info', 'version'));
}

function offsetOf(node: unknown, [key, ...rest]: readonly string[], offset = 0): number {
  const items = listOf(dig(node, 'items'));
  const item = isSeq(node) ? items[Number(key)] : items.find((pair) => String(dig(pair, 'key')) === key);
  const [start, value] = isPair(item) ? [item.key, item.value] : [item, item];
  return item === undefined ? offset : offsetOf(value, rest, Number(dig(start, 'range', '0') ?? 0));
}

/** The components (`#/components/schemas/Note`) that a part of a document reaches through its references. */
function reachedFrom(document: unknown, part: unknown): Set<string> {
  const reached = new Set<string>();
  const waiting: unknown[] = [part];
  while (waiting.length > 0) {
    // Also the values of a discriminator, which are references under other keys.
    for (const [, value] of entriesOf(waiting.pop())) {
      if (typeof value === 'object') waiting.push(value);
      if (typeof value !== 'string' || !value.startsWith('#/components/')) continue;
      const [, kind = '', name = ''] = keysOfReference(value);
      const component = `#/components/${kind}/${name}`;
      if (reached.has(component)) continue;
      reached.add(component);
      waiting.push(dig(document, 'components', kind, name));
    }
  }
  return reached;
}

/** The operations that a place in the contract belongs to: itself, or those that use its component. */
export function usersOf(document: unknown): (pointer: string) => FoundOperation[] {
  const all = operationsIn(document);
  const reached = all.map(({ operation, path, section }) =>
    reachedFrom(document, [
      operation,
      entriesOf(dig(document, section, path)).filter(([name]) => name === 'parameters'),
    ]),
  );
  return (pointer) => {
    const [section, first = '', second = ''] = keysOf(pointer);
    if (section !== 'components') {
      const ofPath = all.filter((one) => one.section === section && one.path === first);
      const exact = ofPath.filter(({ method }) => method === second);
      return exact.length > 0 ? exact : ofPath;
    }
    return all.filter((_, index) => reached[index]?.has(`#/components/${first}/${second}`));
  };
}
