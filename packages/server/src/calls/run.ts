import { operations as facts, type OperationId } from '@animal-store/contract';
import type { Request, RequestHandler } from 'express';
import { type Awaitable, andThen } from '../awaitable.ts';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import type { Exit, OutgoingReply } from '../reply/reply.ts';
import type { KeyRecord, Storage, Transaction } from '../storage/storage.ts';
import { createOnce } from './idempotency.ts';
import { KeptReplies } from './kept-replies.ts';
import { callOf, observe, type Surroundings } from './observed-call.ts';
import type { Call, Operations, ReadingId } from './operation.ts';
import { validatedInput } from './validated-input.ts';

export type RunnerParts = {
  operations: Operations;
  storage: Storage;
  clock: Clock;
  exit: Exit;
};

type ChangingId = Exclude<OperationId, ReadingId>;

/** Runs the operation of a validated request and sends its reply. */
export function runOperation({ operations, storage, clock, exit }: RunnerParts): RequestHandler {
  const once = createOnce(storage, clock);
  const kept = new KeptReplies();

  return (request, response) => {
    const { route, key } = request.exchange;
    if (route.kind !== 'operation' || key === undefined) throw new Error('There is no operation to run, or no caller.');
    const made = onlyReads(route.id) ? read(request, route.id, key) : change(request, route.id, key);
    return andThen(made, (reply) => exit.send(request, response, reply));
  };

  /** A reply that was made of the address and of what is stored alone serves all until something else is stored. */
  function read(request: Request, id: ReadingId, caller: KeyRecord): Awaitable<OutgoingReply> {
    const version = request.exchange.isRepeated ? storage.version() : undefined;
    const call = callOf(validatedInput(request, id), storage.reader, around(request, caller));
    if (version === undefined) return perform(id, call);
    const address = `${request.exchange.origin}${request.url}`;
    const found = kept.find(version, address);
    if (found !== undefined) return found;
    const observed = observe(call);
    return perform(id, observed.call).then((reply) => {
      if (!observed.dependsOnMoment()) kept.keep(version, address, reply);
      return reply;
    });
  }

  /** In one transaction, and once where the caller sent an Idempotency-Key. */
  function change(request: Request, id: ChangingId, caller: KeyRecord): Promise<OutgoingReply> {
    const input = validatedInput(request, id);
    const run = async (transaction: Transaction) => {
      const reply = await perform(id, callOf(input, transaction, around(request, caller)));
      // What breaks the contract must undo its transaction, not be kept for a repetition.
      exit.check(request.exchange, reply);
      return reply;
    };
    const idempotencyKey = facts[id].idempotent ? request.get('Idempotency-Key') : undefined;
    if (idempotencyKey === undefined) return storage.transaction(run);
    return once({ caller: caller.id, idempotencyKey, request: [id, input.path, input.body] }, run);
  }

  function around({ exchange }: Request, caller: KeyRecord): Surroundings {
    return { exchange, caller, clock };
  }

  async function perform<Id extends OperationId>(id: Id, call: Call<Id>): Promise<OutgoingReply> {
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
