import { operations as facts, type OperationId } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import type { Clock } from '../common/clock.ts';
import { mapMaybe } from '../common/maybe-promise.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Call, Operations, ReadingId } from '../contract/operation.ts';
import type { OutgoingResponse, Responder } from '../http/respond.ts';
import type { KeyRecord, Storage, StoreTypes, Transaction } from '../storage/storage.ts';
import { createOnce } from './idempotency.ts';
import { callOf, type Surroundings } from './observed-call.ts';
import { validatedInput } from './validated-input.ts';

export type RunnerParts<Store extends StoreTypes> = {
  operations: Operations<Store>;
  storage: Storage<Store>;
  clock: Clock;
  exit: Responder;
};

type ChangingId = Exclude<OperationId, ReadingId>;

/** Runs the operation of a validated request and sends its reply. */
export function runOperation<Store extends StoreTypes>({
  operations,
  storage,
  clock,
  exit,
}: RunnerParts<Store>): RequestHandler {
  const once = createOnce(storage, clock);

  return (request, response) => {
    const { route, key } = request.context;
    if (route.kind !== 'operation' || key === undefined) throw new Error('There is no operation to run, or no caller.');
    const made = onlyReads(route.id) ? read(request, route.id, key) : change(request, route.id, key);
    return mapMaybe(made, (reply) => exit.send(request, response, reply));
  };

  function read(request: Request, id: ReadingId, caller: KeyRecord): Promise<OutgoingResponse> {
    return perform(id, callOf(validatedInput(request, id), storage.reader, around(request, caller)));
  }

  /** In one transaction, and once where the caller sent an Idempotency-Key. */
  function change(request: Request, id: ChangingId, caller: KeyRecord): Promise<OutgoingResponse> {
    const input = validatedInput(request, id);
    const run = async (transaction: Transaction<Store>) => {
      const reply = await perform(id, callOf(input, transaction, around(request, caller)));
      // What breaks the contract must undo its transaction, not be kept for a repetition.
      exit.check(request.context, reply);
      return reply;
    };
    const idempotencyKey = facts[id].idempotent ? request.get('Idempotency-Key') : undefined;
    if (idempotencyKey === undefined) return storage.transaction(run);
    return once({ caller: caller.id, idempotencyKey, request: [id, input.path, input.body] }, run);
  }

  function around({ context }: Request, caller: KeyRecord): Surroundings {
    return { context, caller, clock };
  }

  async function perform<Id extends OperationId>(id: Id, call: Call<Id, Store>): Promise<OutgoingResponse> {
    const reply = await operations[id](call);
    // Thrown, not returned: a refusal undoes its transaction.
    if (reply instanceof ApiError) throw reply;
    const json = reply.body === undefined ? undefined : JSON.stringify(reply.body);
    return { status: reply.status, headers: reply.headers ?? {}, json };
  }
}

function onlyReads(id: OperationId): id is ReadingId {
  return facts[id].method === 'GET';
}
