/** The types of operations, for this store. */

import * as service from '@contract-first/service';
import type { contract, ErrorCode, OperationId } from '../api-contract.ts';
import type { NoteStore } from './storage/store.ts';

type Contract = typeof contract;

export type Result<Id extends OperationId> = service.Result<Contract, Id>;
export type Call<Id extends OperationId> = service.Call<Contract, Id, NoteStore>;
export type Operation<Id extends OperationId> = service.Operation<Contract, Id, NoteStore>;
export type Operations = service.Operations<Contract, NoteStore>;

/** An error response with a code of this contract; see the class of the service. */
export const ApiError: new <Code extends ErrorCode>(
  code: Code,
  message: string,
  options?: service.ApiErrorOptions,
) => service.ApiError<Code> = service.ApiError;
export type ApiError<Code extends ErrorCode = ErrorCode> = service.ApiError<Code>;
