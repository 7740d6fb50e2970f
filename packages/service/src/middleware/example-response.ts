import type { Mode } from '../common/facts.ts';
import type { RequestContext } from '../http/context.ts';
import { encodeResult, type Responder } from '../http/respond.ts';
import { ApiError } from '../openapi/api-error.ts';
import type { CompiledOperation } from '../openapi/compiled-contract.ts';
import { exampleResult } from '../openapi/document.ts';
import { ContractViolationError, type OutgoingResponse } from '../openapi/response-check.ts';

/** The response of an operation without code: its example. It runs in no transaction and is not stored for an Idempotency-Key. */
export function exampleResponse(
  context: RequestContext,
  { id, facts }: CompiledOperation,
  mode: Mode,
  responder: Responder,
): OutgoingResponse {
  const isLive = mode === 'live';
  const result = isLive ? undefined : exampleResult(facts, context.contract.document, context.accept);
  if (result === undefined) {
    const advice = isLive
      ? 'call it on a test server, which responds with an example'
      : 'write it, or add an example of its response to the contract';
    throw new ApiError('not_implemented', `${id} has no code yet; ${advice}.`);
  }
  try {
    const headers = { ...result.headers, 'X-Example-Response': 'true' };
    const outgoing = encodeResult(id, facts, { ...result, headers });
    responder.check(context, outgoing);
    return outgoing;
  } catch (error) {
    // A TypeError: the example is no value of its media type.
    if (!(error instanceof ContractViolationError || error instanceof TypeError)) throw error;
    throw new ApiError('not_implemented', `${id} has no code yet, and no valid example. ${error.message}`);
  }
}
