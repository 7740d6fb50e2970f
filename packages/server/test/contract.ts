/** The contract of this API as tests use it. */
import type { OperationId } from '@animal-store/contract';
import { contract } from '@animal-store/contract/service';
import type { OperationFacts } from '../../service/src/common/facts.ts';
import { compileContract, type Route } from '../../service/src/openapi/compiled-contract.ts';

export { contract };

/** Its operations in their general form, for tests that treat all alike. */
export const operationFacts: Readonly<Record<OperationId, OperationFacts>> = contract.operations;

export const compiled = compileContract(contract);

/** Tests read parts of every shape. */
export const contractDocument = JSON.parse(contract.json);

export function operationIds(): OperationId[] {
  return Object.keys(contract.operations).filter((name): name is OperationId =>
    Object.hasOwn(contract.operations, name),
  );
}

/** The operation of an ID, prepared for requests. */
export function operationOf(id: OperationId) {
  const operation = compiled.operations.get(id);
  if (operation === undefined) throw new Error(`${id} was not compiled.`);
  return operation;
}

/** The route of a request for an operation. */
export function routeOf(id: OperationId, parameters: Record<string, string> = {}): Route {
  return { kind: 'operation', operation: operationOf(id), parameters };
}
