import { dig, entriesOf } from '../common/json.ts';
import { keysOfReference, servedMethods } from '../contract/document.ts';
import { type FoundOperation, operationsIn } from '../contract/parse.ts';
import { type OperationSecurity, securityOf } from '../contract/security.ts';
import type { Location, Problem, Visitors } from './redocly.ts';

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
};

export type Report = (problem: Problem) => void;

/** Visits every served operation. If several operations share a part, its problem is reported once. */
export function eachServedOperation(check: (operation: ServedOperation, report: Report) => void): Visitors {
  return {
    Root: {
      enter(document, { location, report }) {
        const root = { node: document, location };
        const reported = new Set<string>();
        for (const found of operationsIn(document)) {
          // rule/served-methods reports other methods.
          if (found.section !== 'paths' || !servedMethods.some((method) => method === found.method)) continue;
          check(servedOperation(root, found), (problem) => {
            const identity = `${problem.location.absolutePointer} ${problem.message}`;
            if (!reported.has(identity)) report(problem);
            reported.add(identity);
          });
        }
      },
    },
  };
}

function servedOperation(root: Part, { path, method, operation: node }: FoundOperation): ServedOperation {
  const item = { node: dig(root.node, 'paths', path), location: root.location.child(['paths', path]) };
  const operation = { node, location: item.location.child([method]) };
  const requestBody = followed(root, {
    node: dig(node, 'requestBody'),
    location: operation.location.child(['requestBody']),
  });
  return {
    ...operation,
    document: root.node,
    method,
    security: securityOf(root.node, node),
    parameters: [...namedIn(root, item, 'parameters'), ...namedIn(root, operation, 'parameters')],
    requestBody,
    requestBodies: requestBody === undefined ? [] : namedIn(root, requestBody, 'content'),
    responses: namedIn(root, operation, 'responses').map(({ name: status, ...response }) => ({
      ...response,
      status,
      headers: namedIn(root, response, 'headers'),
      bodies: namedIn(root, response, 'content'),
    })),
  };
}

/** The header parameter of that name. */
export function headerParameter({ parameters }: ServedOperation, name: string): Part | undefined {
  return parameters.find(({ node }) => dig(node, 'in') === 'header' && dig(node, 'name') === name);
}

/** The parts under a key, without those whose reference leads nowhere: another rule reports it. */
function namedIn(root: Part, { node, location }: Part, key: string): Named[] {
  return entriesOf(dig(node, key)).flatMap(([name, child]) => {
    const found = followed(root, { node: child, location: location.child([key, name]) });
    return found === undefined ? [] : [{ name, ...found }];
  });
}

/** The target of a reference, or the part itself; undefined if the reference leads nowhere. */
function followed(root: Part, part: Part): Part | undefined {
  const reference = dig(part.node, '$ref');
  if (typeof reference !== 'string') return part.node === undefined ? undefined : part;
  const keys = keysOfReference(reference);
  return followed(root, { node: dig(root.node, ...keys), location: root.location.child(keys) });
}
