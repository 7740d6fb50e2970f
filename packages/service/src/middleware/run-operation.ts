import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { Mode, OperationFacts } from '../common/contract.ts';
import type { Clock } from '../common/time.ts';
import { ApiError, overloaded } from '../contract/api-error.ts';
import type { CompiledContract, CompiledOperation } from '../contract/compiled-contract.ts';
import { exampleResult } from '../contract/document.ts';
import type { AfterCommit, AnyCall, AnyOperations, AnyResult } from '../contract/operation.ts';
import { ContractViolationError, type OutgoingResponse } from '../contract/response-check.ts';
import { type AnyUrlOf, urlsAt } from '../contract/urls.ts';
import type { ValidatedInput } from '../http/context.ts';
import { createOutgoing, type Responder } from '../http/respond.ts';
import type { ConcurrencyLimit } from '../rate-limit/concurrency.ts';
import { type QuotaState, quotaAfter } from '../rate-limit/count-request.ts';
import type { KeyRecord, Storage, StoreTypes, Transaction } from '../storage/storage.ts';
import { idempotency } from './idempotency.ts';
import { ResponseCache } from './response-cache.ts';

export type RunOperationParts<Store extends StoreTypes> = {
  contract: CompiledContract;
  operations: AnyOperations;
  storage: Storage<Store>;
  clock: Clock;
  responder: Responder;
  log: Logger;
  /** Bounds the operations that run at once. */
  running: ConcurrencyLimit;
  mode: Mode;
};

const CALLED_TOO_LATE =
  'afterCommit was called too late: the operation has ended. Call it before the operation returns.';

/** Node refused the request because of its body while the operation ran: the operation is undone. */
export class RefusedMeanwhileError extends Error {
  override name = 'RefusedMeanwhileError';
}

/** Calls the operation of a validated request and sends its response. */
export function runOperation<Store extends StoreTypes>({
  contract,
  operations,
  storage,
  clock,
  responder,
  log,
  running,
  mode,
}: RunOperationParts<Store>): RequestHandler {
  const runOnce = idempotency(storage, clock, contract.contract.limits.idempotencySeconds);
  const cache = new ResponseCache(storage);

  return async (request, response) => {
    const { route } = request.context;
    if (route.kind !== 'operation') throw new Error('The request has no operation.');
    const { operation } = route;
    const hasCode = operations[operation.id] !== undefined;
    await responder.send(request, response, hasCode ? await limited(request, operation) : example(request, operation));
  };

  /** The response of an operation without code. It runs in no transaction and is not stored for an Idempotency-Key: nothing was done. */
  function example({ context }: Request, { id, facts }: CompiledOperation): OutgoingResponse {
    const result = mode === 'test' ? exampleResult(facts, contract.document, context.accept) : undefined;
    if (result !== undefined) {
      const headers = { ...result.headers, 'X-Example-Response': 'true' };
      try {
        const outgoing = encodeResult(id, facts, { ...result, headers });
        responder.check(context, outgoing);
        return outgoing;
      } catch (error) {
        // A TypeError: the example is no value of its media type.
        if (!(error instanceof ContractViolationError || error instanceof TypeError)) throw error;
        throw new ApiError('not_implemented', `${id} has no code yet, and no valid example. ${error.message}`);
      }
    }
    const advice =
      mode === 'test'
        ? 'write it, or add an example of its response to the contract'
        : 'call it on a test server, which responds with an example';
    throw new ApiError('not_implemented', `${id} has no code yet; ${advice}.`);
  }

  /** A streamed body arrives as slowly as its caller sends it, so it is bounded by the connections only. */
  async function limited(request: Request, operation: CompiledOperation): Promise<OutgoingResponse> {
    if (isStreamed(request, operation)) return outgoingOf(request, operation);
    const keyId = request.context.key?.id ?? '';
    const refusal = running.enter(keyId, !operation.reads);
    if (refusal !== undefined) throw overloaded(refusal);
    try {
      return await outgoingOf(request, operation);
    } finally {
      running.leave(keyId);
    }
  }

  function outgoingOf(request: Request, operation: CompiledOperation): Promise<OutgoingResponse> {
    if (operation.reads) {
      return read(request, operation);
    }
    // The operation begins its own transactions, because the body may take long to arrive.
    if (isStreamed(request, operation)) return performChecked(request, operation, storage);
    return write(request, operation);
  }

  function read(request: Request, operation: CompiledOperation): Promise<OutgoingResponse> {
    const run = () => perform(request, operation, storage.reader);
    return operation.facts.method === 'GET' ? cache.get(request, run) : run();
  }

  /**
   * Runs a writing operation, then what it has left for the time after the commit, in its order and after the response was passed on.
   * The database may run an operation again after a clash; only the work of the attempt that was committed runs.
   */
  async function write(request: Request, operation: CompiledOperation): Promise<OutgoingResponse> {
    let work: (() => unknown)[] | undefined;
    const outgoing = await runOnce(request, operation, (transaction) => {
      const attempt: (() => unknown)[] = [];
      work = attempt;
      return performChecked(request, operation, transaction, (each) => {
        if (work !== attempt) throw new Error(CALLED_TOO_LATE);
        attempt.push(each);
      });
    });
    const committed = work ?? [];
    work = undefined;
    if (committed.length > 0) setImmediate(() => void runAll(committed));
    return outgoing;
  }

  async function runAll(work: readonly (() => unknown)[]): Promise<void> {
    for (const each of work) {
      try {
        await each();
      } catch (error) {
        log.error({ err: error }, 'work after a commit failed; the change itself is stored');
      }
    }
  }

  async function performChecked(
    request: Request,
    operation: CompiledOperation,
    available: Transaction<Store> | Storage<Store>,
    afterCommit?: AfterCommit,
  ): Promise<OutgoingResponse> {
    const response = await perform(request, operation, available, afterCommit);
    // An undocumented response must roll back its transaction and must not be stored for a retry.
    responder.check(request.context, response);
    // Node found the body to be malformed in the meantime: a request that was refused must change nothing.
    if (request.res?.headersSent) throw new RefusedMeanwhileError();
    request.context.isCommitting = true;
    return response;
  }

  async function perform(
    request: Request,
    { id, facts }: CompiledOperation,
    available: Store['reader'] | Transaction<Store> | Storage<Store>,
    afterCommit?: AfterCommit,
  ): Promise<OutgoingResponse> {
    const { input, key } = request.context;
    const operation = operations[id];
    if (operation === undefined) throw new Error(`${id} has no implementation.`);
    if (input === undefined || (key === undefined && facts.access !== 'public')) {
      throw new Error(`The request was not validated as ${id}.`);
    }
    const result = await operation(new OperationCall(request, input, { storage: available, clock, afterCommit }));
    // Throwing the error rolls back its transaction.
    if (result instanceof ApiError) throw result;
    return encodeResult(id, facts, result);
  }
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
  readonly afterCommit: AfterCommit | undefined;
  readonly #request: Request;
  #signal: AbortSignal | undefined = undefined;

  constructor(request: Request, input: ValidatedInput, parts: Pick<AnyCall, 'storage' | 'clock' | 'afterCommit'>) {
    const { context } = request;
    this.query = input.query;
    this.path = input.path;
    this.header = input.header;
    this.body = input.body;
    this.contentType = context.contentType;
    this.accept = context.accept;
    this.storage = parts.storage;
    this.clock = parts.clock;
    this.afterCommit = parts.afterCommit;
    this.caller = context.key;
    this.urlOf = (target, parameters) => urlsAt(context.origin, context.contract.contract)(target, parameters);
    this.#request = request;
  }

  get quota(): QuotaState | undefined {
    const { verdict } = this.#request.context;
    return verdict && quotaAfter(verdict);
  }

  get signal(): AbortSignal {
    this.#signal ??= abortOnClose(this.#request.res);
    return this.#signal;
  }
}

function isStreamed({ context: { contentType = '' } }: Request, { facts }: CompiledOperation): boolean {
  return facts.requestBody?.mediaTypes[contentType]?.stream === true;
}

/** The response of an operation, with its body encoded for its media type. */
function encodeResult(
  id: string,
  facts: OperationFacts,
  { status, headers = {}, body, contentType }: AnyResult,
): OutgoingResponse {
  const own: Record<string, string> = {};
  for (const name in headers) if (headers[name] !== undefined) own[name] = String(headers[name]);
  const mediaTypes = facts.responses[status]?.mediaTypes ?? {};
  const name = contentType ?? Object.keys(mediaTypes)[0];
  if (body === undefined || name === undefined) return createOutgoing(facts, status, own, {});
  const { kind = 'binary', stream = false } = mediaTypes[name] ?? {};
  if (kind === 'json') return createOutgoing(facts, status, own, { body: JSON.stringify(body), contentType: name });
  if (stream && isAsyncIterable(body)) return createOutgoing(facts, status, own, { stream: body, contentType: name });
  const isPlain = typeof body === 'string' || body instanceof Uint8Array;
  if (!stream && isPlain) return createOutgoing(facts, status, own, { body, contentType: name });
  throw new TypeError(`The body of ${id} does not match ${name}${stream ? ': it is not an AsyncIterable' : ''}.`);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** An AbortSignal that aborts when the caller closes the connection before the response is complete. */
function abortOnClose(response: Response | undefined): AbortSignal {
  const controller = new AbortController();
  if (response?.destroyed === true) controller.abort();
  response?.once('close', () => {
    if (!response.writableFinished || !response.req.complete) controller.abort();
  });
  return controller.signal;
}
