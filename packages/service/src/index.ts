/** `createService`, and the types and functions that the operations of an API use. */
export type { Clock } from './common/time.ts';
/** Also adds `request.context` to the requests of Express. */
export type { RequestContext } from './http/context.ts';
export { ApiError, type ApiErrorOptions, invalidRequest } from './openapi/api-error.ts';
export { type ErrorBodyOf, type Problem, plainError, problemDetails } from './openapi/error-body.ts';
export { checkIfMatch } from './openapi/etag.ts';
export type {
  Call,
  CodeOf,
  Input,
  Operation,
  OperationId,
  Operations,
  Result,
} from './openapi/operation.ts';
export {
  keysInTestMode,
  type VerifiedCaller,
  type Verify,
  type VerifyFunctions,
} from './openapi/security.ts';
export type { Command, JobCall, OwnHandler, OwnMiddleware, ServiceParts } from './openapi/service-parts.ts';
export { isExactInteger } from './openapi/validation-problems.ts';
export { argumentsOf, readCount, type SharedCounters, type SharedRequest } from './rate-limit/counters.ts';
export type { StartedServer } from './run-server.ts';
export { createService } from './service.ts';
export type { KeyRecord } from './storage/storage.ts';
