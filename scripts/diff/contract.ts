import { readFileSync } from 'node:fs';
import { isMap, isPair, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { dig, entriesOf } from '../lint/redocly.ts';
import { keysOf } from './pointer.ts';

/** A contract as it is written, and where in its file each part stands. */
export type Contract = {
  file: string;
  document: unknown;
  /** The line of what a JSON pointer names, or of the nearest part around it. */
  lineOf: (pointer: string) => number;
};

/** An operation of a contract. `key` is the method and the path, the same in every version. */
export type FoundOperation = { key: string; id: string; path: string; method: string; operation: unknown };

const methods = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']);

/** Is this key of a path item a method, and its value so an operation? */
export function isMethod(key: string): boolean {
  return methods.has(key);
}

/** Reads a contract of one file. Throws with the line where it is no YAML. */
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

/** Every operation of a contract, in its order. */
export function operationsIn(document: unknown): FoundOperation[] {
  return entriesOf(dig(document, 'paths')).flatMap(([path, item]) =>
    entriesOf(item)
      .filter(([method]) => isMethod(method))
      .map(([method, operation]) => {
        const key = `${method.toUpperCase()} ${path}`;
        return { key, id: String(dig(operation, 'operationId') ?? key), path, method, operation };
      }),
  );
}

/** Is the operation outside the promise of v1? */
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
