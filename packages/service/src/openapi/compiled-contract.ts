import {
  type Contract,
  headerOf,
  isKeyScheme,
  isOwnPage,
  type OperationFacts,
  type SecurityScheme,
} from '../common/facts.ts';
import { type Lifecycle, lifecycleOf } from './deprecation.ts';
import type { OpenApiDocument } from './document.ts';
import { type RequestValidator, validatorOnFirstUse } from './request-validator.ts';
import { createRouter } from './router.ts';
import { requirementOf } from './security.ts';
import { type NumericParam, numericParamsOf } from './validation-problems.ts';

export type CompiledOperation = {
  readonly id: string;
  readonly facts: OperationFacts;
  /** Whether its method only reads (RFC 9110 9.2.1). */
  readonly reads: boolean;
  /** The media types of its successful responses, in the order of the contract. */
  readonly successTypes: readonly string[];
  readonly numericParams: readonly NumericParam[];
  readonly announcesExpiry: boolean;
  readonly lifecycle: Lifecycle;
  /** The headers of each status that has a caching policy, in addition to those of every response. */
  readonly caching: Readonly<Record<number, readonly string[]>>;
  readonly validator: () => RequestValidator;
};

export type Route =
  | { kind: 'operation'; operation: CompiledOperation; parameters: Record<string, string> }
  | { kind: 'wrong-method'; allow: string }
  | { kind: 'unknown' }
  /** Not an operation, but the docs, the contract or a health check. */
  | { kind: 'page' }
  | { kind: 'malformed' };

export type CompiledContract = {
  readonly contract: Contract;
  readonly document: OpenApiDocument;
  readonly operations: ReadonlyMap<string, CompiledOperation>;
  /** Every method of the contract, plus `HEAD` and `OPTIONS`, which the service answers itself if they are no operations. */
  readonly methods: readonly string[];
  /** Finds the operation of a method and an undecoded path, which is exact: case, slashes and encoding count. */
  readonly findRoute: (method: string, path: string) => Route;
};

const compiled = new WeakMap<Contract, CompiledContract>();

/** Prepares a contract for requests. Servers of one contract share the result, because creating a validator is slow. */
export function compileContract(contract: Contract): CompiledContract {
  const known = compiled.get(contract) ?? compile(contract);
  compiled.set(contract, known);
  return known;
}

function compile(contract: Contract): CompiledContract {
  const document: OpenApiDocument = { paths: {}, ...JSON.parse(contract.json) };
  const entries = Object.entries(contract.operations);
  const operations = new Map(entries.map(([id, facts]) => [id, compileOperation(id, facts, contract, document)]));
  const methods = [...new Set([...entries.map(([, { method }]) => method), 'HEAD', 'OPTIONS'])];
  const findOperation = createRouter(contract.basePath, operations.values());
  // Without a base path, a parameter at the start of a path would match the pages of the service.
  const findRoute: CompiledContract['findRoute'] =
    contract.basePath === ''
      ? (method, path) => (isOwnPage(path) ? { kind: 'unknown' } : findOperation(method, path))
      : findOperation;
  return { contract, document, operations, methods, findRoute };
}

function compileOperation(
  id: string,
  facts: OperationFacts,
  contract: Contract,
  document: OpenApiDocument,
): CompiledOperation {
  const types = Object.values(facts.responses).flatMap(({ mediaTypes }) => Object.keys(mediaTypes));
  const requirement = requirementOf(facts.security);
  const scheme = requirement && contract.securitySchemes[requirement.name];
  return {
    id,
    facts,
    reads: ['GET', 'HEAD', 'OPTIONS'].includes(facts.method),
    successTypes: [...new Set(types)],
    numericParams: numericParamsOf(facts),
    announcesExpiry: facts.access !== 'public' && scheme !== undefined && isKeyScheme(scheme),
    lifecycle: lifecycleOf(id, facts, contract),
    caching: cachingOf(facts, scheme),
    validator: validatorOnFirstUse(facts, contract, document),
  };
}

/** `Vary` lists the request headers that the response depends on. */
function cachingOf(facts: OperationFacts, scheme: SecurityScheme | undefined): CompiledOperation['caching'] {
  const { headers, negotiates, responses } = facts;
  const varying = [...(scheme ? [headerOf(scheme)] : []), ...(negotiates ? ['Accept'] : []), ...headers];
  const vary = varying.length === 0 ? [] : ['Vary', [...new Set(varying)].join(', ')];
  const cached = Object.entries(responses).filter(([, { cacheControl }]) => cacheControl !== 'no-store');
  const byStatus = cached.map(
    ([status, { cacheControl }]) => [status, ['Cache-Control', cacheControl, ...vary]] as const,
  );
  return Object.fromEntries(byStatus);
}
