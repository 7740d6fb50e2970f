import type { Contract, OperationFacts } from '../common/contract.ts';
import type { Lifecycle } from './deprecation.ts';
import type { ContractDocument } from './document.ts';
import type { RequestValidator } from './request-validator.ts';
import type { NumericParam } from './validation-problems.ts';

/** What a request needs to know about its operation, prepared once. */
export type CompiledOperation = {
  readonly id: string;
  readonly facts: OperationFacts;
  /** The media types of its successful responses, in the order of the contract. */
  readonly successTypes: readonly string[];
  readonly numericParams: readonly NumericParam[];
  readonly lifecycle: Lifecycle;
  readonly validator: () => RequestValidator;
};

export type Route =
  | { kind: 'operation'; operation: CompiledOperation; parameters: Record<string, string> }
  /** The path exists, the method does not. */
  | { kind: 'wrong-method'; allow: string }
  | { kind: 'unknown' }
  /** Not an operation, but the docs, the contract or a health check. */
  | { kind: 'page' }
  /** The path cannot be decoded. */
  | { kind: 'malformed' };

/** A contract, prepared for requests. */
export type CompiledContract = {
  readonly contract: Contract;
  readonly document: ContractDocument;
  readonly operations: ReadonlyMap<string, CompiledOperation>;
  /** Every method of the contract, plus `HEAD` and `OPTIONS`, which the service answers itself. */
  readonly methods: readonly string[];
  /**
   * Finds the operation of a method and path. Paths are exact: case, slashes and percent-encoding count.
   * @param path undecoded, without query
   */
  readonly findRoute: (method: string, path: string) => Route;
};
