import type { ErrorCode, errorStatus, OperationId, OperationTypes, operations } from '@animal-store/contract';
import type { Clock } from '../common/time.ts';
import type { KeyRecord, StoreTypes } from '../storage/storage.ts';
import type { ApiError } from './api-error.ts';

/**
 * The implementation of one operation. It receives the validated request and returns one of the documented responses; it
 * never writes to the HTTP response itself. To refuse a request, it returns or throws an ApiError with a code whose status
 * the contract documents.
 */
export type Operation<Id extends OperationId, Store extends StoreTypes> = (
  call: Call<Id, Store>,
) => Promise<Result<Id>>;

/** Every operation of the contract; a missing one does not compile. */
export type Operations<Store extends StoreTypes> = { [Id in OperationId]: Operation<Id, Store> };

/** The argument of an operation. */
export type Call<Id extends OperationId, Store extends StoreTypes> = Input<Id> & {
  /** The API key of the request. */
  caller: KeyRecord;
  /** Reading operations see committed data; all others run in one transaction, which is rolled back if they return an error. */
  storage: (typeof operations)[Id]['method'] extends 'GET' ? Store['reader'] : Store['writer'];
  clock: Clock;
  /** Builds the absolute URL of an operation, with the origin of the request. */
  urlOf: UrlOf;
};

/** The operations that only read. */
export type ReadingId = {
  [Id in OperationId]: (typeof operations)[Id]['method'] extends 'GET' ? Id : never;
}[OperationId];

export type UrlOf = <Id extends OperationId>(id: Id, parameters: UrlParameters<Id>) => string;

/** The path parameters of an operation, if it has any, and any of its query parameters. */
export type UrlParameters<Id extends OperationId> = {
  query?: { [Name in keyof Given<Parameters<Id>['query']>]?: Given<Parameters<Id>['query']>[Name] | undefined };
} & (keyof Input<Id>['path'] extends never ? { path?: Record<never, never> } : { path: Input<Id>['path'] });

/** The request as validated: typed by the contract, defaults filled in. */
export type Input<Id extends OperationId> = {
  query: WithDefaults<Given<Parameters<Id>['query']>, keyof (typeof operations)[Id]['defaults']>;
  path: Given<Parameters<Id>['path']>;
  body: OperationTypes[Id] extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : undefined;
};

type Parameters<Id extends OperationId> = OperationTypes[Id]['parameters'];
type Given<Group> = [NonNullable<Group>] extends [never] ? Record<never, never> : NonNullable<Group>;
type WithDefaults<Query, Names> = Query & { [Name in keyof Query as Name & Names]-?: NonNullable<Query[Name]> };

/** Exactly the responses that the contract documents for the operation. */
export type Result<Id extends OperationId> = Success<Id> | ApiError<CodeOf<Id>>;

export type Success<Id extends OperationId> = {
  [Status in SuccessStatus<Id>]: {
    status: Status;
  } & BodyPart<Responses<Id>[Status]> &
    HeaderPart<Id, Status>;
}[SuccessStatus<Id>];

type Responses<Id extends OperationId> = OperationTypes[Id]['responses'];
type SuccessStatus<Id extends OperationId> = {
  [Status in keyof Responses<Id>]: Status extends number ? (`${Status}` extends `2${string}` ? Status : never) : never;
}[keyof Responses<Id>];
type BodyPart<Response> = Response extends { content: { 'application/json': infer Body } }
  ? { body: Body }
  : { body?: undefined };

/** The codes whose status the operation documents. */
export type CodeOf<Id extends OperationId> = {
  [Code in ErrorCode]: (typeof errorStatus)[Code] extends keyof Responses<Id> ? Code : never;
}[ErrorCode];

/** The documented headers that the operation sets itself; the responder sets the common ones. */
type HeaderPart<Id extends OperationId, Status extends keyof Responses<Id>> = [RequiredHeader<Id, Status>] extends [
  never,
]
  ? { headers?: OwnHeaders<Responses<Id>[Status]> }
  : { headers: OwnHeaders<Responses<Id>[Status]> & Record<RequiredHeader<Id, Status>, string> };
type OwnHeaders<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as Exclude<KnownName<Name>, CommonHeader>]?: Headers[Name] }
  : Record<never, never>;
/** openapi-typescript treats every header behind a $ref as required, so the generated constants list the required ones. */
type RequiredHeader<Id extends OperationId, Status> = {
  [Listed in keyof RequiredHeaders<Id>]: `${Status & number}` extends Listed
    ? Members<RequiredHeaders<Id>[Listed]>
    : never;
}[keyof RequiredHeaders<Id>];
type RequiredHeaders<Id extends OperationId> = (typeof operations)[Id]['requiredHeaders'];
type Members<List> = List extends readonly (infer Member extends string)[] ? Member : never;
type KnownName<Name> = string extends Name ? never : Name;
type CommonHeader =
  | 'X-RateLimit-Limit'
  | 'X-RateLimit-Remaining'
  | 'X-RateLimit-Reset'
  | 'X-Request-Id'
  | 'Deprecation'
  | 'Sunset'
  | 'Idempotency-Replayed';
