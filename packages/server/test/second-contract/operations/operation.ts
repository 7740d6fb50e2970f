/** The types of operations, for this store. */
import type { OperationId } from '@animal-store/contract';
import type * as contract from '../contract/operation.ts';
import type { NoteStore } from './storage/store.ts';

export type { Result } from '../contract/operation.ts';
export type Call<Id extends OperationId> = contract.Call<Id, NoteStore>;
export type Operation<Id extends OperationId> = contract.Operation<Id, NoteStore>;
export type Operations = contract.Operations<NoteStore>;
