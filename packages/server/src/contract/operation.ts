import type { ErrorCode, OperationId, OperationTypes, operations } from '@animal-store/contract';
import type { Clock } from '../common/time.ts';
import type { QuotaState } from '../quota/count-request.ts';
import type { KeyRecord, StoreTypes } from '../storage/storage.ts';
import type { ApiError } from './api-error.ts';

/**
 * The implementation of one operation. It receives the validated request and returns one of the documented responses; it
 * never writes to the HTTP response itself. To refuse a request, it returns or throws an ApiError with a code that the
 * contract documents for the operation.
 */
export type Operation<Id extends OperationId, Store extends StoreTypes> = (
  call: Call<Id, Store>,
) => Promise<Result<Id>>;

/** Every operation of the contract; a missing one does not compile. */
export type Operations<Store extends StoreTypes> = { [Id in OperationId]: Operation<Id, Store> };

/**
 * The argument of an operation.
 *
 * An operation that writes may run more than once for a request: if two transactions block each other, PostgreSQL rolls one of them back,
 * and the server runs it again. It must therefore change nothing but `storage`; emails, calls of other services and changes of variables
 * belong in `afterCommit`. It must also be quick, because others wait for it: SQLite gives all of it 2 seconds, and PostgreSQL ends a
 * transaction that sends no statement for 5 seconds. The caller then gets a 503, and nothing was changed.
 */
export type Call<Id extends OperationId, Store extends StoreTypes> = Input<Id> & {
  /** The API key of the request; undefined if the operation is public. */
  caller: Facts<Id>['access'] extends 'public' ? undefined : KeyRecord;
  /** The state of the caller's quota, with this request counted. */
  quota: QuotaState;
  /**
   * Reading operations see committed data. All others run in one transaction, which is rolled back if they return an error. An
   * operation that reads its body as a stream begins its transactions itself, so that a slow upload keeps none open.
   */
  storage: StorageOf<Id, Store>;
  clock: Clock;
  /** Builds the absolute URL of an operation, with the origin of the request. */
  urlOf: UrlOf;
  /** Aborts when the caller closes the connection before the response is complete. */
  signal: AbortSignal;
} & (StorageOf<Id, Store> extends Store['writer'] ? { afterCommit: AfterCommit } : unknown);

/**
 * Leaves work for the time after the commit of an operation that runs in a transaction. It runs once, in the order of the calls, and
 * only if the transaction was committed: not after an error, not for an attempt that is repeated, and not for the stored response to a
 * repeated Idempotency-Key. The response does not wait for it, and its errors are only logged. It is lost if the process ends
 * between, or if the database loses the connection during the commit: store what must not be lost as a row in the same transaction.
 */
export type AfterCommit = (work: () => void | Promise<void>) => void;

type StorageOf<Id extends OperationId, Store extends StoreTypes> = Facts<Id>['method'] extends 'GET'
  ? Store['reader']
  : true extends StreamsOf<RequestTypes<Id>>
    ? Transactions<Store>
    : Store['writer'];

/** The storage of an operation that reads its body as a stream. */
export type Transactions<Store extends StoreTypes> = {
  reader: Store['reader'];
  /** Runs the work in one transaction, which is rolled back if the work throws. */
  transaction: <Value>(work: (writer: Store['writer']) => Promise<Value>) => Promise<Value>;
};

export type UrlOf = <Id extends OperationId>(id: Id, parameters: UrlParameters<Id>) => string;

/** The path parameters of an operation, if it has any, and any of its query parameters. */
export type UrlParameters<Id extends OperationId> = {
  query?: { [Name in keyof Given<Parameters<Id>['query']>]?: Given<Parameters<Id>['query']>[Name] | undefined };
} & (keyof Input<Id>['path'] extends never ? { path?: Record<never, never> } : { path: Input<Id>['path'] });

/** The request as validated: typed by the contract, defaults filled in. */
export type Input<Id extends OperationId> = {
  query: WithDefaults<Given<Parameters<Id>['query']>, keyof Facts<Id>['defaults']>;
  path: Given<Parameters<Id>['path']>;
  /** The headers that the contract lists, by the names in the contract. The server itself handles the two left out here. */
  header: Omit<Given<Parameters<Id>['header']>, 'Idempotency-Key' | 'If-None-Match'>;
  /** The media type of the response that the caller prefers, among those of the operation. */
  accept: SuccessType<Id>;
} & BodyInput<Id>;

type Facts<Id extends OperationId> = (typeof operations)[Id];
type Parameters<Id extends OperationId> = OperationTypes[Id]['parameters'];
type Given<Group> = [NonNullable<Group>] extends [never] ? Record<never, never> : NonNullable<Group>;
type WithDefaults<Query, Names> = Query & { [Name in keyof Query as Name & Names]-?: NonNullable<Query[Name]> };

/** The media types of the request body, as the generated constants list them. */
type RequestTypes<Id extends OperationId> = Facts<Id>['requestBody'] extends {
  mediaTypes: infer Types extends Record<string, MediaFacts>;
}
  ? Types
  : Record<never, never>;
type MediaFacts = { kind: string; stream: boolean };
type StreamsOf<Types> = {
  [Type in keyof Types]: Types[Type] extends { stream: infer Stream } ? Stream : never;
}[keyof Types];
type RequestContent<Id extends OperationId> =
  NonNullable<OperationTypes[Id]['requestBody']> extends { content: infer Content } ? Content : Record<never, never>;

/** The body and its media type. Both are undefined if the operation takes no body, or if an optional body was not sent. */
type BodyInput<Id extends OperationId> =
  | {
      [Type in keyof RequestTypes<Id> & keyof RequestContent<Id>]: {
        contentType: Type;
        body: BodyOf<RequestTypes<Id>[Type], RequestContent<Id>[Type]>;
      };
    }[keyof RequestTypes<Id> & keyof RequestContent<Id>]
  | (Facts<Id>['requestBody'] extends { required: true } ? never : { contentType?: undefined; body?: undefined });

/** What an operation receives or returns as a body, by the kind of its media type. */
type BodyOf<Media, Schema> = Media extends { kind: 'json' }
  ? Schema
  : Media extends { kind: 'lines' | 'events' }
    ? AsyncIterable<Schema>
    : Media extends { stream: true }
      ? AsyncIterable<ChunkOf<Media>>
      : ChunkOf<Media>;
type ChunkOf<Media> = Media extends { kind: 'text' } ? string : Uint8Array;

/** Exactly the responses that the contract documents for the operation. */
export type Result<Id extends OperationId> = Success<Id> | ApiError<CodeOf<Id>>;

export type Success<Id extends OperationId> = {
  [Status in SuccessStatus<Id>]: { status: Status } & BodyPart<Id, Status> & HeaderPart<Id, Status>;
}[SuccessStatus<Id>];

type Responses<Id extends OperationId> = OperationTypes[Id]['responses'];
/** The server itself sends 304. */
type SuccessStatus<Id extends OperationId> = {
  [Status in keyof Responses<Id> & number]: `${Status}` extends keyof Facts<Id>['responses'] ? Status : never;
}[keyof Responses<Id> & number];

/** The media types of a response, as the generated constants list them. */
type ResponseTypes<Id extends OperationId, Status> =
  RowOf<Facts<Id>['responses'], Status> extends { mediaTypes: infer Types } ? Types : never;
/** The generated tables have the statuses as text. */
type RowOf<Table, Status> = `${Status & number}` extends keyof Table ? Table[`${Status & number}`] : never;
/** The media types of all successful responses of an operation. */
type SuccessType<Id extends OperationId> = {
  [Status in SuccessStatus<Id>]: keyof ResponseTypes<Id, Status>;
}[SuccessStatus<Id>];

/** If there are several media types, the operation also returns the one of its body. */
type BodyPart<Id extends OperationId, Status extends SuccessStatus<Id>> = [keyof ResponseTypes<Id, Status>] extends [
  never,
]
  ? { body?: undefined; contentType?: undefined }
  : {
      [Type in keyof ResponseTypes<Id, Status> & string]: {
        body: BodyOf<ResponseTypes<Id, Status>[Type], ContentOf<Responses<Id>[Status], Type>>;
      } & (IsOne<keyof ResponseTypes<Id, Status>> extends true ? { contentType?: Type } : { contentType: Type });
    }[keyof ResponseTypes<Id, Status> & string];
type ContentOf<Response, Type> = Response extends { content: infer Content }
  ? Type extends keyof Content
    ? Content[Type]
    : never
  : never;
type IsOne<Names, Each = Names> = Each extends Names ? ([Names] extends [Each] ? true : false) : never;

/** The error codes that the contract documents for the operation. */
export type CodeOf<Id extends OperationId> = ErrorCode &
  Members<Facts<Id>['errorCodes'][keyof Facts<Id>['errorCodes']]>;

/** The documented headers that the operation sets itself; the responder sets the common ones. */
type HeaderPart<Id extends OperationId, Status extends keyof Responses<Id>> = [RequiredHeader<Id, Status>] extends [
  never,
]
  ? { headers?: OwnHeaders<Responses<Id>[Status]> }
  : {
      headers: OwnHeaders<Responses<Id>[Status]> &
        Required<Pick<OwnHeaders<Responses<Id>[Status]>, RequiredHeader<Id, Status>>>;
    };
type OwnHeaders<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as Exclude<KnownName<Name>, CommonHeader>]?: Headers[Name] }
  : Record<never, never>;
/** openapi-typescript treats every header behind a $ref as required, so the generated constants list the required ones. */
type RequiredHeader<Id extends OperationId, Status extends keyof Responses<Id>> = keyof OwnHeaders<
  Responses<Id>[Status]
> &
  Members<RowOf<Facts<Id>['requiredHeaders'], Status>>;
type Members<List> = List extends readonly (infer Member extends string)[] ? Member : never;
type KnownName<Name> = string extends Name ? never : Name;
/** The headers that the server itself adds to the responses of every operation. */
type CommonHeader =
  | 'X-RateLimit-Limit'
  | 'X-RateLimit-Remaining'
  | 'X-RateLimit-Reset'
  | 'X-Request-Id'
  | 'X-Key-Expires'
  | 'X-Stability'
  | 'Cache-Control'
  | 'ETag'
  | 'Deprecation'
  | 'Sunset'
  | 'Idempotency-Replayed';
