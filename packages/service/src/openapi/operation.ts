import type { Contract } from '../common/facts.ts';
import type { Clock } from '../common/time.ts';
import type { QuotaState } from '../rate-limit/count-request.ts';
import type { RunTransaction, StoreTypes } from '../storage/storage.ts';
import type { ApiError } from './api-error.ts';
import type { CallerRecord } from './security.ts';
import type { AnyUrlOf } from './urls.ts';

/**
 * The implementation of one operation. It receives the validated request and returns one of the documented responses.
 * To refuse a request, it returns or throws an ApiError with a code that the contract documents for the operation.
 */
export type Operation<C extends Contract, Id extends OperationId<C>, Store extends StoreTypes> = (
  call: Call<C, Id, Store>,
) => Promise<Result<C, Id>>;

/** Every operation of the contract; a missing one does not compile. */
export type Operations<C extends Contract, Store extends StoreTypes> = {
  [Id in OperationId<C>]: Operation<C, Id, Store>;
};

export type OperationId<C extends Contract> = keyof C['operations'] & string;

export type ErrorCode<C extends Contract> = keyof C['errorStatus'] & string;

/** A caller, with the plans and scopes of a contract. Its `scope` is one of them if the contract has only `read` and `write`. */
export type Caller<C extends Contract> = CallerRecord & {
  plan: keyof C['plans'];
  scope: [keyof C['scopes']] extends ['read' | 'write'] ? keyof C['scopes'] : string;
};

/** An operation as the service calls it. The types of its input follow from the schemas by which the input was validated. */
export type AnyOperation = { call(call: AnyCall): Promise<ApiError | AnyResult> }['call'];
export type AnyOperations = Readonly<Record<string, AnyOperation | undefined>>;

export type AnyCall = {
  readonly query: unknown;
  readonly path: unknown;
  readonly header: unknown;
  readonly body?: unknown;
  readonly contentType?: unknown;
  readonly accept: unknown;
  readonly storage: unknown;
  readonly clock: Clock;
  readonly caller: CallerRecord | undefined;
  readonly quota: QuotaState | undefined;
  urlOf(...parameters: Parameters<AnyUrlOf>): string;
  readonly transaction?: unknown;
  readonly rawBody?: Uint8Array | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly signal: AbortSignal;
};

export type AnyResult = {
  status: number;
  headers?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
  contentType?: string | undefined;
};

/**
 * The argument of an operation. One that writes may run again for the same request, after PostgreSQL rolled it back
 * because of another transaction. It must therefore change nothing but `storage`: emails and calls of other services
 * need `x-transaction: own`. It must also be quick, because others wait for it: SQLite gives it 2 seconds, and
 * PostgreSQL ends a transaction that sends no statement for 5 seconds.
 */
export type Call<C extends Contract, Id extends OperationId<C>, Store extends StoreTypes> = Input<C, Id> & {
  /** The caller of the request; undefined if the operation is public, or if credentials are optional and there are none that are valid. */
  caller: Facts<C, Id>['access'] extends 'public'
    ? Facts<C, Id>['security'] extends readonly []
      ? undefined
      : Caller<C> | undefined
    : Caller<C>;
  /** The state of the caller's quota, with this request counted; undefined if the contract has none for the caller. */
  quota: QuotaOf<HasQuota<C, Id>>;
  /**
   * Reading operations see committed data. All others run in one transaction, which is rolled back if they return an error. An
   * operation with `x-transaction: own`, and one that reads its body as a stream, only reads with it, and begins its transactions itself.
   */
  storage: StorageOf<C, Id, Store>;
  clock: Clock;
  /** Builds the absolute URL of an operation, with the origin of the request. */
  urlOf: UrlOf<C>;
  /** Aborts when the caller closes the connection before the response is complete. */
  signal: AbortSignal;
} & (BeginsTransactions<C, Id> extends true ? OwnTransactions<Store> : unknown);

type QuotaOf<Has> = Has extends true ? QuotaState : undefined;
type HasQuota<C extends Contract, Id extends OperationId<C>> = Facts<C, Id>['access'] extends 'public'
  ? Facts<C, Id>['security'] extends readonly []
    ? OfAddresses<C>
    : OfAddresses<C> | OfKeys<C>
  : OfKeys<C>;
type OfAddresses<C extends Contract> = C['anonymousLimits'] extends null ? false : true;
type OfKeys<C extends Contract> = keyof C['plans'] extends never ? false : true;
type HasQuotas<C extends Contract> = OfKeys<C> extends true ? true : OfAddresses<C>;

type StorageOf<C extends Contract, Id extends OperationId<C>, Store extends StoreTypes> = Facts<C, Id>['method'] extends
  | 'GET'
  | 'HEAD'
  | 'OPTIONS'
  ? Store['reader']
  : BeginsTransactions<C, Id> extends true
    ? Store['reader']
    : Store['writer'];

type BeginsTransactions<C extends Contract, Id extends OperationId<C>> =
  Facts<C, Id> extends { transaction: 'own' } ? true : true extends StreamsOf<RequestTypes<C, Id>> ? true : false;

type OwnTransactions<Store extends StoreTypes> = {
  transaction: RunTransaction<Store>;
  /** Finds what an earlier attempt has done if its server ended between two transactions. */
  idempotencyKey: string | undefined;
};

export type UrlOf<C extends Contract> = <Id extends OperationId<C>>(id: Id, parameters: UrlParameters<C, Id>) => string;

/** The path parameters of an operation, if it has any, and any of its query parameters. */
export type UrlParameters<C extends Contract, Id extends OperationId<C>> = {
  query?: { [Name in keyof Sent<C, Id, 'query'>]?: Sent<C, Id, 'query'>[Name] | undefined };
} & (keyof Input<C, Id>['path'] extends never ? { path?: Record<never, never> } : { path: Input<C, Id>['path'] });

/** The request as validated: typed by the contract, defaults filled in. */
export type Input<C extends Contract, Id extends OperationId<C>> = {
  query: WithDefaults<Sent<C, Id, 'query'>, keyof Facts<C, Id>['defaults']>;
  path: Sent<C, Id, 'path'>;
  /** The headers that the contract lists, by the names in the contract. The server itself handles the two left out here. */
  header: Omit<Sent<C, Id, 'header'>, 'Idempotency-Key' | 'If-None-Match'>;
  /** The media type of the response that the caller prefers, among those of the operation. */
  accept: SuccessType<C, Id>;
} & BodyInput<C, Id> &
  (Facts<C, Id> extends { rawBody: true } ? { rawBody: Uint8Array } : unknown);

type Facts<C extends Contract, Id extends OperationId<C>> = C['operations'][Id];
/** The types that openapi-typescript generates for an operation. */
type TypesOf<C extends Contract, Id> = NonNullable<C['types']>[Id & keyof NonNullable<C['types']>];
/** The parameters in one place of a request, as openapi-typescript types them. */
type Sent<C extends Contract, Id extends OperationId<C>, Place extends string> = Given<
  OptionalOf<OptionalOf<TypesOf<C, Id>, 'parameters'>, Place>
>;
type OptionalOf<Type, Name extends string> = Type extends { [Each in Name]?: infer Member } ? Member : never;
type Given<Group> = [NonNullable<Group>] extends [never] ? Record<never, never> : NonNullable<Group>;
type WithDefaults<Query, Names> = Query & { [Name in keyof Query as Name & Names]-?: NonNullable<Query[Name]> };

/** The media types of the request body, as the generated constants list them. */
type RequestTypes<C extends Contract, Id extends OperationId<C>> = Facts<C, Id>['requestBody'] extends {
  mediaTypes: infer Types extends Record<string, MediaFacts>;
}
  ? Types
  : Record<never, never>;
type MediaFacts = { kind: string; stream: boolean };
type StreamsOf<Types> = {
  [Type in keyof Types]: Types[Type] extends { stream: infer Stream } ? Stream : never;
}[keyof Types];
type RequestContent<C extends Contract, Id extends OperationId<C>> =
  NonNullable<OptionalOf<TypesOf<C, Id>, 'requestBody'>> extends { content: infer Content }
    ? Content
    : Record<never, never>;

/** The body and its media type. Both are undefined if the operation takes no body, or if an optional body was not sent. */
type BodyInput<C extends Contract, Id extends OperationId<C>> =
  | {
      [Type in keyof RequestTypes<C, Id> & keyof RequestContent<C, Id>]: {
        contentType: Type;
        body: BodyOf<RequestTypes<C, Id>[Type], RequestContent<C, Id>[Type]>;
      };
    }[keyof RequestTypes<C, Id> & keyof RequestContent<C, Id>]
  | (Facts<C, Id>['requestBody'] extends { required: true } ? never : { contentType?: undefined; body?: undefined });

/** What an operation receives or returns as a body, by the kind of its media type. */
type BodyOf<Media, Schema> = Media extends { kind: 'json' }
  ? Schema
  : Media extends { kind: 'form' }
    ? FormOf<Schema>
    : Media extends { kind: 'lines' | 'events' }
      ? AsyncIterable<Schema>
      : Media extends { stream: true }
        ? AsyncIterable<ChunkOf<Media>>
        : ChunkOf<Media>;
/** A form, whose files are `Blob` in the generated types. */
type FormOf<Schema> = Schema extends object
  ? { [Name in keyof Schema]: Schema[Name] extends infer Value ? FileOf<Value> : never }
  : Schema;
type FileOf<Value> = Value extends Blob ? File : Value extends Blob[] ? File[] : Value;

type ChunkOf<Media> = Media extends { kind: 'text' } ? string : Uint8Array;

/** Exactly the responses that the contract documents for the operation. */
export type Result<C extends Contract, Id extends OperationId<C>> =
  | Success<C, Id>
  | Failure<C, Id>
  | ApiError<CodeOf<C, Id>>;

export type Success<C extends Contract, Id extends OperationId<C>> = {
  [Status in SuccessStatus<C, Id>]: { status: Status } & BodyPart<
    ResponseTypes<C, Id, Status>,
    Responses<C, Id>[Status]
  > &
    HeaderPart<C, Id, Status>;
}[SuccessStatus<C, Id>];

/** The errors that the contract documents in forms of its own. They roll back the transaction. */
export type Failure<C extends Contract, Id extends OperationId<C>> = {
  [Row in keyof ErrorRows<C, Id> & string]: { status: StatusIn<Row, ErrorRows<C, Id>> & number } & BodyPart<
    TypesIn<ErrorRows<C, Id>[Row]>,
    Named<Responses<C, Id>, KeyOf<Row>>
  > & { headers?: OwnHeaders<C, Named<Responses<C, Id>, KeyOf<Row>>, Facts<C, Id>> };
}[keyof ErrorRows<C, Id> & string];

type ErrorRows<C extends Contract, Id extends OperationId<C>> =
  Facts<C, Id> extends { errors: infer Rows } ? Rows : Record<never, never>;
type TypesIn<Row> = Row extends { mediaTypes: infer Types } ? Types : never;
type Named<Table, Name> = Name extends keyof Table ? Table[Name] : never;
/** The key of a status in the types of openapi-typescript, which are numbers, except those of ranges. */
type KeyOf<Row> = Row extends `${infer Status extends number}` ? Status : Row;
type StatusIn<Row, Rows> = Row extends keyof Ranges ? Exclude<Ranges[Row], KeyOf<keyof Rows>> : KeyOf<Row>;
type Ranges = { '4XX': In<4>; '5XX': In<5>; default: In<4 | 5> };
type In<First extends number> = KeyOf<`${First}${Digit}${Digit}`>;
type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

type Responses<C extends Contract, Id extends OperationId<C>> = OptionalOf<TypesOf<C, Id>, 'responses'>;
/** The server itself sends 304. */
type SuccessStatus<C extends Contract, Id extends OperationId<C>> = {
  [Status in keyof Responses<C, Id> & number]: `${Status}` extends keyof Facts<C, Id>['responses'] ? Status : never;
}[keyof Responses<C, Id> & number];

/** The media types of a response, as the generated constants list them. */
type ResponseTypes<C extends Contract, Id extends OperationId<C>, Status> = TypesIn<
  RowOf<Facts<C, Id>['responses'], Status>
>;
/** The generated tables have the statuses as text. */
type RowOf<Table, Status> = `${Status & number}` extends keyof Table ? Table[`${Status & number}`] : never;
type SuccessType<C extends Contract, Id extends OperationId<C>> = {
  [Status in SuccessStatus<C, Id>]: keyof ResponseTypes<C, Id, Status>;
}[SuccessStatus<C, Id>];

/** If there are several media types, the operation also returns the one of its body. */
type BodyPart<Types, Response> = [keyof Types] extends [never]
  ? { body?: undefined; contentType?: undefined }
  : {
      [Type in keyof Types & string]: {
        body: BodyOf<Types[Type], ContentOf<Response, Type>>;
      } & (IsOne<keyof Types> extends true ? { contentType?: Type } : { contentType: Type });
    }[keyof Types & string];
type ContentOf<Response, Type> = Response extends { content: infer Content }
  ? Type extends keyof Content
    ? Content[Type]
    : never
  : never;
type IsOne<Names, Each = Names> = Each extends Names ? ([Names] extends [Each] ? true : false) : never;

/** The error codes that the contract documents for the operation. */
export type CodeOf<C extends Contract, Id extends OperationId<C>> = ErrorCode<C> &
  Members<Facts<C, Id>['errorCodes'][keyof Facts<C, Id>['errorCodes']]>;

/** The documented headers that the operation sets itself; the responder sets the common ones. */
type HeaderPart<C extends Contract, Id extends OperationId<C>, Status extends keyof Responses<C, Id>> = [
  RequiredHeader<C, Id, Status>,
] extends [never]
  ? { headers?: OwnHeaders<C, Responses<C, Id>[Status], Facts<C, Id>> }
  : {
      headers: OwnHeaders<C, Responses<C, Id>[Status], Facts<C, Id>> &
        Required<Pick<OwnHeaders<C, Responses<C, Id>[Status], Facts<C, Id>>, RequiredHeader<C, Id, Status>>>;
    };
/** The server makes an ETag of a body, so an operation without one, a HEAD, sets its own. */
type OwnHeaders<C extends Contract, Response, Operation> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as Exclude<KnownName<Name>, CommonHeaderOf<C, Operation>>]?: Headers[Name] }
  : Record<never, never>;
/** openapi-typescript treats every header behind a $ref as required, so the generated constants list the required ones. */
type RequiredHeader<
  C extends Contract,
  Id extends OperationId<C>,
  Status extends keyof Responses<C, Id>,
> = keyof OwnHeaders<C, Responses<C, Id>[Status], Facts<C, Id>> &
  Members<RowOf<Facts<C, Id>['requiredHeaders'], Status>>;
type Members<List> = List extends readonly (infer Member extends string)[] ? Member : never;
type KnownName<Name> = string extends Name ? never : Name;
/** The headers that the server itself adds to the responses of every operation. */
type CommonHeaderOf<C extends Contract, Operation> = Operation extends { method: 'HEAD' }
  ? Exclude<CommonHeader<C>, 'ETag'>
  : CommonHeader<C>;
type CommonHeader<C extends Contract> =
  | (HasQuotas<C> extends true ? 'X-RateLimit-Limit' | 'X-RateLimit-Remaining' | 'X-RateLimit-Reset' : never)
  | 'X-Request-Id'
  | 'X-Key-Expires'
  | 'X-Stability'
  | 'Cache-Control'
  | 'ETag'
  | 'Deprecation'
  | 'Sunset'
  | 'Idempotency-Replayed';
