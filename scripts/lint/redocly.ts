/**
 * The part of Redocly's plugin interface that our rules use; the CLI ships no types for it.
 * https://redocly.com/docs/cli/custom-plugins/custom-rules
 */

/** A place in the document; `child` goes down from it. */
export type Location = { child(path: readonly (string | number)[]): Location };

export type Problem = { message: string; location: Location };

export type Context = {
  /** The key of the visited node in its parent: for a reply its status. */
  key: string | number;
  location: Location;
  report(problem: Problem): void;
};

/** Called with a node after its `$ref` is followed. The node may have any shape: rules also see broken documents. */
export type Visit = (node: unknown, context: Context) => void;

/** Visits by node type; an inner type is visited only inside the outer one. */
export type Visitors = { [nodeTypeOrMoment: string]: Visit | Visitors };

/** Makes the visitors of one document from the rule's options in .redocly.yaml. */
export type Rule = (options: Readonly<Record<string, unknown>>) => Visitors;

/** What stands at the end of a path of keys, or undefined when the path breaks off. */
export function dig(node: unknown, ...path: string[]): unknown {
  return path.reduce((current, key) => (isRecord(current) ? current[key] : undefined), node);
}

/** The entries of an object; none for anything else. */
export function entriesOf(node: unknown): [string, unknown][] {
  return isRecord(node) ? Object.entries(node) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
