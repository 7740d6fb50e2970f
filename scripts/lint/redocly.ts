/**
 * The part of Redocly's plugin interface that the project's rules use. The CLI has no types for it.
 * https://redocly.com/docs/cli/custom-plugins/custom-rules
 */

/** A location in the document; `child` is one below it. */
export type Location = { child(path: readonly (string | number)[]): Location; absolutePointer: string };

export type Problem = { message: string; location: Location };

export type Context = {
  /** The key of the visited node in its parent: for a response its status. */
  key: string | number;
  location: Location;
  report(problem: Problem): void;
  /** The target of a `$ref`; both undefined if there is none. Anything else is returned unchanged. */
  resolve(node: unknown): { node: unknown; location: Location | undefined };
};

/** Called with a node after its `$ref` is followed. The node may have any shape: rules also see broken documents. */
export type Visit = (node: unknown, context: Context) => void;

/** Visits by node type; an inner type is visited only inside the outer one. */
export type Visitors = { [nodeTypeOrMoment: string]: Visit | Visitors };

/** Makes the visitors of one document from the rule's options in .redocly.yaml. */
export type Rule = (options: Readonly<Record<string, unknown>>) => Visitors;

/** The value at the end of a path of keys; undefined if there is none. */
export function dig(node: unknown, ...path: string[]): unknown {
  return path.reduce((current, key) => (isRecord(current) ? current[key] : undefined), node);
}

/** The keys of a JSON pointer in a URI fragment (RFC 6901, section 6), as Redocly prints it: `#/paths/~1pets/get`. */
export function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function toPointer(keys: readonly (string | number)[]): string {
  return ['#', ...keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

/** The entries of an object; none for anything else. */
export function entriesOf(node: unknown): [string, unknown][] {
  return isRecord(node) ? Object.entries(node) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
