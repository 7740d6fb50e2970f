/** The types of operations, for this contract and store. */
import type * as service from '@contract-first/service';
import type { contract, OperationId } from '@my-api/contract';
import type { MyApiStore } from './storage/store.ts';

type Contract = typeof contract;

export type Result<Id extends OperationId> = service.Result<Contract, Id>;
export type Call<Id extends OperationId> = service.Call<Contract, Id, MyApiStore>;
export type Operation<Id extends OperationId> = service.Operation<Contract, Id, MyApiStore>;
/** When every operation has code, remove `Partial`: a missing one then does not compile. */
export type Operations = Partial<service.Operations<Contract, MyApiStore>>;
