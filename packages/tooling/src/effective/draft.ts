import { dig } from '../common/json.ts';
import { resolve } from '../contract/document.ts';

export type Json = string | number | boolean | null | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Why an operation cannot be served, with its place. */
export type Problem = { operation: string; pointer: string; message: string };

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
  /** What there is to say, each with the operations that it concerns. */
  readonly changes = new Map<string, string[]>();
  /** The operations whose requests or responses are not quite as the contract says. */
  readonly changed = new Set<string>();
  readonly problems: Problem[] = [];
  /** Whether any operation takes keys of the service. */
  hasKeys = false;
  /** Those of the operations so far, in lower case, because files have these names. */
  readonly operationIds = new Set<string>();
  /** The headers of beta and deprecated operations, if there are any. All responses document them, because operations share responses. */
  readonly lifecycleHeaders = new Set<string>();
  /** The bodies that most operations document for an error, as JSON, by its status. */
  readonly usualErrors = new Map<string, string>();
  /** The error codes that were added, without those that the server sends for the operations so far. */
  readonly unsentCodes = new Set<string>();
  /** References to the error responses that were added, by their status and codes. */
  readonly errorResponses = new Map<string, string>();

  constructor(document: JsonObject, id: string, keyPrefix: string) {
    this.document = document;
    this.id = id;
    this.keyPrefix = keyPrefix;
    this.components = objectIn(document, 'components');
    this.isOurs = dig(this.components, 'schemas', 'ErrorCode', 'x-codes') !== undefined;
  }

  /** Says something about the contract; without an operation if it concerns the whole contract. */
  note(text: string, operation?: string): void {
    const concerned = this.changes.get(text) ?? [];
    this.changes.set(text, operation === undefined ? concerned : [...concerned, operation]);
  }

  /** Reports a difference between an operation and the contract that callers can see. */
  change(text: string, operation: string): void {
    this.changed.add(operation);
    this.note(text, operation);
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
