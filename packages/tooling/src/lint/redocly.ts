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
};

/** Called with a node after its `$ref` is followed. The node may have any shape: rules also see broken documents. */
export type Visit = (node: unknown, context: Context) => void;

/** Visits by node type; an inner type is visited only inside the outer one. */
export type Visitors = { [nodeTypeOrMoment: string]: Visit | Visitors };

/** Makes the visitors of one document from the rule's options in .redocly.yaml. */
export type Rule = (options: Readonly<Record<string, unknown>>) => Visitors;
