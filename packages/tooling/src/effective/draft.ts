import { dig } from '../common/json.ts';
import { resolve } from '../contract/document.ts';

export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** A contract on its way to the effective one, with what was done to it so far. */
export class Draft {
  readonly document: JsonObject;
  readonly components: JsonObject;
  /** The name of the project, such as `tree-nursery`. */
  readonly id: string;
  /** The first part of API keys. */
  readonly keyPrefix: string;
  /** Whether the contract was written for the service. */
  readonly isOurs: boolean;
  /** What was added or replaced, each with the operations that it concerns. */
  readonly changes = new Map<string, string[]>();
  /** The paths as they were given, by those that were changed. */
  readonly givenPaths = new Map<string, string>();
  /** The responses for `4XX`, `5XX` and `default`, which are completed after all operations. */
  readonly ranges: { key: string; responses: JsonObject; status: string; isPublic: boolean }[] = [];
  /** The headers `WWW-Authenticate` that a response has only if the server sends it. */
  readonly optionalChallenges: JsonObject[] = [];
  /** The headers of beta and deprecated operations, if there are any. All responses document them, because operations share responses. */
  readonly lifecycleHeaders = new Set<string>();
  /** References to the error responses that were added, by their status and codes. */
  readonly errorResponses = new Map<string, string>();

  constructor(document: JsonObject, id: string, keyPrefix: string) {
    this.document = document;
    this.id = id;
    this.keyPrefix = keyPrefix;
    this.components = objectIn(document, 'components');
    this.isOurs = dig(this.components, 'schemas', 'ErrorCode', 'x-codes') !== undefined;
  }

  /** The `x-rate-limits` of the contract; undefined if nothing is counted. */
  get limits(): unknown {
    return this.document['x-rate-limits'];
  }

  /** Reports a change; without an operation if it concerns the whole contract. */
  note(change: string, operation?: string): void {
    const concerned = this.changes.get(change) ?? [];
    this.changes.set(change, operation === undefined ? concerned : [...concerned, operation]);
  }

  /** Whether a response is one that was added. */
  isAdded(response: unknown): boolean {
    return [...this.errorResponses.values()].includes(String(dig(response, '$ref')));
  }

  /** The node itself, or what its `$ref` leads to. */
  resolve(node: unknown): unknown {
    return resolve(this.document, node);
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under a key, which is created if there is none. */
export function objectIn(parent: JsonObject, key: string): JsonObject {
  const found = parent[key];
  if (isObject(found)) return found;
  const created: JsonObject = {};
  parent[key] = created;
  return created;
}
