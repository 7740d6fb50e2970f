import { operations as facts, type OperationId } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import type { Clock } from '../common/time.ts';
import { ApiError } from '../contract/api-error.ts';
import type { Call, Input, Operations, ReadingId, UrlOf } from '../contract/operation.ts';
import type { OutgoingResponse } from '../contract/response-check.ts';
import { urlsAt } from '../contract/urls.ts';
import type { Responder } from '../http/respond.ts';
import type { KeyRecord, Storage, StoreTypes, Transaction } from '../storage/storage.ts';
import { createIdempotency } from './idempotency.ts';

export type RunOperationParts<Store extends StoreTypes> = {
  operations: Operations<Store>;
  storage: Storage<Store>;
  clock: Clock;
  responder: Responder;
};

type WritingId = Exclude<OperationId, ReadingId>;

/** Node refused the request because of its body while the operation ran: the operation is undone. */
export class RefusedMeanwhileError extends Error {
  override name = 'RefusedMeanwhileError';
}

/** Calls the operation of a validated request and sends its response. */
export function runOperation<Store extends StoreTypes>({
  operations,
  storage,
  clock,
  responder,
}: RunOperationParts<Store>): RequestHandler {
  const runOnce = createIdempotency(storage, clock);

  return async (request, response) => {
    const { route, key } = request.context;
    if (route.kind !== 'operation' || key === undefined) throw new Error('The request has no operation or no API key.');
    const outgoing = isReading(route.id) ? await read(request, route.id, key) : await write(request, route.id, key);
    responder.send(request, response, outgoing);
  };

  function read(request: Request, id: ReadingId, caller: KeyRecord): Promise<OutgoingResponse> {
    return perform(id, callOf(request, inputOf(request, id), storage.reader, caller));
  }

  /** Runs a writing operation in one transaction, and only once for each Idempotency-Key. */
  function write(request: Request, id: WritingId, caller: KeyRecord): Promise<OutgoingResponse> {
    const input = inputOf(request, id);
    const run = async (transaction: Transaction<Store>) => {
      const outgoing = await perform(id, callOf(request, input, transaction, caller));
      // An undocumented response must roll back its transaction and must not be stored for a retry.
      responder.check(request.context, outgoing);
      // Node found the body to be malformed in the meantime: a request that was refused must change nothing.
      if (request.res?.headersSent) throw new RefusedMeanwhileError();
      request.context.isCommitting = true;
      return outgoing;
    };
    const idempotencyKey = facts[id].idempotent ? request.get('Idempotency-Key') : undefined;
    if (idempotencyKey === undefined) return storage.transaction(run);
    return runOnce({ caller: caller.id, idempotencyKey, request: [id, input.path, input.body] }, run);
  }

  function callOf<Id extends OperationId>(
    { context }: Request,
    { query, path, body }: Input<Id>,
    storage: Call<Id, Store>['storage'],
    caller: KeyRecord,
  ): Call<Id, Store> {
    const urlOf: UrlOf = (target, parameters) => urlsAt(context.origin)(target, parameters);
    return { query, path, body, storage, caller, clock, urlOf };
  }

  async function perform<Id extends OperationId>(id: Id, call: Call<Id, Store>): Promise<OutgoingResponse> {
    const result = await operations[id](call);
    // Throwing the error rolls back its transaction.
    if (result instanceof ApiError) throw result;
    const json = result.body === undefined ? undefined : JSON.stringify(result.body);
    return { status: result.status, headers: result.headers ?? {}, json };
  }
}

function isReading(id: OperationId): id is ReadingId {
  return facts[id].method === 'GET';
}

/**
 * The validated input of an operation, typed by the contract. Only this function turns validated values into types.
 * @throws Error if the request was not validated for this operation
 */
function inputOf<Id extends OperationId>({ context: { route, input } }: Request, id: Id): Input<Id> {
  if (route.kind === 'operation' && route.id === id && isInputOf<Id>(input)) return input;
  throw new Error(`The request was not validated as ${id}.`);
}

/** The validator checked each part against the schemas that the types are generated from. */
function isInputOf<Id extends OperationId>(input: Request['context']['input']): input is Input<Id> {
  return input !== undefined;
}
