import { dig, entriesOf } from '../common/json.ts';
import { servedMethods } from '../contract/document.ts';
import { type OperationSecurity, securityOf } from '../contract/security.ts';
import type { Context, Location, Problem, Visitors } from './redocly.ts';

/** A part of the contract, with its references resolved, and its location. */
export type Part = { node: unknown; location: Location };

/** A part under a key: a header under its name, a body under its media type. */
export type Named = Part & { name: string };

export type Response = Part & { status: string; headers: Named[]; bodies: Named[] };

/** An operation under `paths`, with its references resolved. The server does not serve the operations of webhooks. */
export type ServedOperation = Part & {
  /** The whole contract. */
  document: unknown;
  /** In lower case. */
  method: string;
  security: OperationSecurity;
  parameters: Part[];
  requestBody: Part | undefined;
  requestBodies: Named[];
  responses: Response[];
  /** The target of a reference; anything else is returned unchanged. */
  targetOf: (node: unknown) => unknown;
};

export type Report = (problem: Problem) => void;

/** Visits every served operation. If several operations share a part, its problem is reported once. */
export function eachServedOperation(check: (operation: ServedOperation, report: Report) => void): Visitors {
  let document: unknown;
  let shared: Part[] = [];
  const reported = new Set<string>();
  return {
    Root: {
      enter(root) {
        document = root;
      },
    },
    Paths: {
      PathItem: {
        enter(item, context) {
          shared = listOf(item, 'parameters', context);
        },
        Operation(operation, context) {
          // rule/served-methods reports the others.
          if (!servedMethods.some((method) => method === context.key)) return;
          check(servedOperation(operation, shared, document, context), (problem) => {
            const identity = `${problem.location.absolutePointer} ${problem.message}`;
            if (reported.has(identity)) return;
            reported.add(identity);
            context.report(problem);
          });
        },
      },
    },
  };
}

function servedOperation(node: unknown, shared: Part[], document: unknown, context: Context): ServedOperation {
  const { key, location } = context;
  const requestBody = childOf({ node, location }, 'requestBody', context);
  return {
    document,
    node,
    location,
    method: String(key),
    security: securityOf(document, node),
    parameters: [...shared, ...listOf(node, 'parameters', context)],
    requestBody,
    requestBodies: requestBody === undefined ? [] : namedIn(requestBody, 'content', context),
    responses: namedIn({ node, location }, 'responses', context).map(({ name, ...response }) => {
      return {
        ...response,
        status: name,
        headers: namedIn(response, 'headers', context),
        bodies: namedIn(response, 'content', context),
      };
    }),
    targetOf: (part) => context.resolve(part).node,
  };
}

/** The header parameter of that name. */
export function headerParameter({ parameters }: ServedOperation, name: string): Part | undefined {
  return parameters.find(({ node }) => dig(node, 'in') === 'header' && dig(node, 'name') === name);
}

/** The successful responses (2xx), with or without a body. */
export function successesOf({ responses }: ServedOperation): Response[] {
  return responses.filter(({ status }) => status.startsWith('2'));
}

function listOf(node: unknown, key: string, context: Context): Part[] {
  return namedIn({ node, location: context.location }, key, context);
}

function namedIn(part: Part, key: string, context: Context): Named[] {
  const location = part.location.child([key]);
  return entriesOf(dig(part.node, key)).flatMap(([name, child]) => {
    const found = followed({ node: child, location: location.child([name]) }, context);
    return found === undefined ? [] : [{ name, ...found }];
  });
}

function childOf(part: Part, key: string, context: Context): Part | undefined {
  const node = dig(part.node, key);
  return node === undefined ? undefined : followed({ node, location: part.location.child([key]) }, context);
}

/** The target of a reference, or the part itself; undefined if the reference leads nowhere, which another rule reports. */
function followed({ node, location }: Part, context: Context): Part | undefined {
  if (dig(node, '$ref') === undefined) return { node, location };
  const target = context.resolve(node);
  return target.location === undefined ? undefined : { node: target.node, location: target.location };
}
