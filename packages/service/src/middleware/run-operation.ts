import type { Request, RequestHandler, Response } from 'express';
import type { Mode } from '../common/facts.ts';
import type { Clock } from '../common/time.ts';
import type { ValidatedInput } from '../http/context.ts';
import { encodeResult, type Responder } from '../http/respond.ts';
import { ApiError, overloaded } from '../openapi/api-error.ts';
import type { CompiledContract, CompiledOperation } from '../openapi/compiled-contract.ts';
import type { AnyCall, AnyOperations } from '../openapi/operation.ts';
import type { OutgoingResponse } from '../openapi/response-check.ts';
import { type AnyUrlOf, urlsAt } from '../openapi/urls.ts';
import type { ConcurrencyLimit } from '../rate-limit/concurrency.ts';
import { type QuotaState, quotaAfter } from '../rate-limit/count-request.ts';
import { withOwnTransactions } from '../storage/own-transactions.ts';
import {
  type KeyRecord,
  OutcomeUnknownError,
  type Storage,
  StorageUnavailableError,
  type StoreTypes,
} from '../storage/storage.ts';
import { exampleResponse } from './example-response.ts';
import { idempotency } from './idempotency.ts';
import { ResponseCache } from './response-cache.ts';

type StorageParts = Pick<AnyCall, 'storage' | 'transaction'>;

export type RunOperationParts<Store extends StoreTypes> = {
  contract: CompiledContract;
  operations: AnyOperations;
  storage: Storage<Store>;
  clock: Clock;
  responder: Responder;
  running: ConcurrencyLimit;
  mode: Mode;
};

/** Calls the operation of a validated request, as a read or as a write in a transaction, and sends its response. */
export function runOperation<Store extends StoreTypes>(parts: RunOperationParts<Store>): RequestHandler {
  const { contract, operations, storage, clock, responder, running, mode } = parts;
  const runOnce = idempotency(storage, clock, contract.contract.limits.idempotencySeconds);
  const cache = new ResponseCache(storage);

  return async (request, response) => {
    const { route } = request.context;
    if (route.kind !== 'operation') throw new Error('The request has no operation.');
    const { operation } = route;
    const outgoing = await (operations[operation.id] === undefined
      ? exampleResponse(request.context, operation, mode, responder)
      : readOrWrite(request, operation));
    await responder.send(request, response, outgoing);
  };

  async function readOrWrite(request: Request, operation: CompiledOperation): Promise<OutgoingResponse> {
    // A streamed body arrives as slowly as its caller sends it, so it holds no place, and its operation begins its own transactions.
    if (isStreamed(request, operation)) return writeInParts(request, operation);
    const keyId = request.context.key?.id ?? '';
    const refusal = running.enter(keyId, !operation.reads);
    if (refusal !== undefined) throw overloaded(refusal);
    try {
      return await (operation.reads ? read(request, operation) : write(request, operation));
    } finally {
      running.leave(keyId);
    }
  }

  function read(request: Request, operation: CompiledOperation): Promise<OutgoingResponse> {
    const run = () => call(request, operation, { storage: storage.reader });
    return operation.facts.method === 'GET' ? cache.get(request, run) : run();
  }

  function write(request: Request, operation: CompiledOperation): Promise<OutgoingResponse> {
    if (operation.facts.transaction === 'own') return writeInParts(request, operation);
    return runOnce(request, operation, { inOne: (storage) => change(request, operation, { storage }) });
  }

  /** Calls an operation that begins its transactions itself. */
  async function writeInParts(request: Request, operation: CompiledOperation): Promise<OutgoingResponse> {
    const own = () =>
      withOwnTransactions(storage, (transaction) =>
        change(request, operation, { storage: storage.reader, transaction }),
      );
    try {
      return await runOnce(request, operation, { own });
    } catch (error) {
      // An earlier transaction may have changed something.
      throw error instanceof StorageUnavailableError ? new OutcomeUnknownError(error.cause, error.reason) : error;
    }
  }

  /** An undocumented response must roll back its transaction and must not be stored for a retry. */
  async function change(
    request: Request,
    operation: CompiledOperation,
    parts: StorageParts,
  ): Promise<OutgoingResponse> {
    const outgoing = await call(request, operation, parts);
    responder.check(request.context, outgoing);
    if (outgoing.status >= 400) throw new ReturnedError('returned', { cause: outgoing });
    return outgoing;
  }

  async function call(
    request: Request,
    { id, facts }: CompiledOperation,
    parts: StorageParts,
  ): Promise<OutgoingResponse> {
    const { input, key } = request.context;
    const operation = operations[id];
    if (operation === undefined) throw new Error(`${id} has no implementation.`);
    if (input === undefined || (key === undefined && facts.access !== 'public')) {
      throw new Error(`The request was not validated as ${id}.`);
    }
    const result = await operation(new OperationCall(request, input, { ...parts, clock }));
    // Throwing the error rolls back its transaction.
    if (result instanceof ApiError) throw result;
    return encodeResult(id, facts, result);
  }
}

/** An error in a form of the contract, which the operation returned. Throwing it rolls back its transaction. */
export class ReturnedError extends Error {
  declare readonly cause: OutgoingResponse;
}

/** The argument of an operation. The parts that most operations do not use are computed on first use. */
class OperationCall implements AnyCall {
  readonly query: unknown;
  readonly path: unknown;
  readonly header: unknown;
  readonly body: unknown;
  readonly contentType: unknown;
  readonly accept: unknown;
  readonly storage: unknown;
  readonly clock: Clock;
  readonly caller: KeyRecord | undefined;
  readonly urlOf: AnyUrlOf;
  readonly transaction: unknown;
  readonly #request: Request;
  #signal: AbortSignal | undefined = undefined;

  constructor(request: Request, input: ValidatedInput, parts: Pick<AnyCall, 'storage' | 'transaction' | 'clock'>) {
    const { context } = request;
    this.query = input.query;
    this.path = input.path;
    this.header = input.header;
    this.body = input.body;
    this.contentType = context.contentType;
    this.accept = context.accept;
    this.storage = parts.storage;
    this.clock = parts.clock;
    this.transaction = parts.transaction;
    this.caller = context.key;
    this.urlOf = (target, parameters) => urlsAt(context.origin, context.contract.contract)(target, parameters);
    this.#request = request;
  }

  get quota(): QuotaState | undefined {
    const { verdict } = this.#request.context;
    return verdict && quotaAfter(verdict);
  }

  get rawBody(): Uint8Array | undefined {
    return this.#request.context.rawBody;
  }

  get idempotencyKey(): string | undefined {
    return this.#request.get('Idempotency-Key');
  }

  get signal(): AbortSignal {
    this.#signal ??= abortOnClose(this.#request.res);
    return this.#signal;
  }
}

function isStreamed({ context: { contentType = '' } }: Request, { facts }: CompiledOperation): boolean {
  return facts.requestBody?.mediaTypes[contentType]?.stream === true;
}

function abortOnClose(response: Response | undefined): AbortSignal {
  const controller = new AbortController();
  if (response?.destroyed === true) controller.abort();
  response?.once('close', () => {
    if (!response.writableFinished || !response.req.complete) controller.abort();
  });
  return controller.signal;
}
