import type { Contract, OperationFacts } from '../common/contract.ts';
import type { CompiledContract, CompiledOperation } from './compiled-contract.ts';
import { lifecycleOf } from './deprecation.ts';
import type { ContractDocument } from './document.ts';
import { validatorOnFirstUse } from './request-validator.ts';
import { createRouter } from './router.ts';
import { numericParamsOf } from './validation-problems.ts';

const compiled = new WeakMap<Contract, CompiledContract>();

/** Prepares a contract for requests. Servers of one contract share the result, because creating a validator is slow. */
export function compileContract(contract: Contract): CompiledContract {
  const known = compiled.get(contract) ?? compile(contract);
  compiled.set(contract, known);
  return known;
}

function compile(contract: Contract): CompiledContract {
  const document: ContractDocument = JSON.parse(contract.json);
  const entries = Object.entries(contract.operations);
  const operations = new Map(entries.map(([id, facts]) => [id, compileOperation(id, facts, contract, document)]));
  const methods = [...new Set(entries.map(([, { method }]) => method)), 'HEAD', 'OPTIONS'];
  return { contract, document, operations, methods, findRoute: createRouter(contract.basePath, operations.values()) };
}

function compileOperation(
  id: string,
  facts: OperationFacts,
  contract: Contract,
  document: ContractDocument,
): CompiledOperation {
  const types = Object.values(facts.responses).flatMap(({ mediaTypes }) => Object.keys(mediaTypes));
  return {
    id,
    facts,
    successTypes: [...new Set(types)],
    numericParams: numericParamsOf(facts),
    lifecycle: lifecycleOf(id, facts, contract),
    validator: validatorOnFirstUse(facts, contract, document),
  };
}
