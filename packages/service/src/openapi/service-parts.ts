import type { RequestListener } from 'node:http';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Contract } from '../common/facts.ts';
import type { ResponseObserver } from '../common/observed-response.ts';
import type { Clock } from '../common/time.ts';
import type { Config } from '../config/config.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { SharedCounters } from '../rate-limit/counters.ts';
import type { Limiter } from '../rate-limit/limiter.ts';
import type { RunTransaction, Storage, StoreTypes } from '../storage/storage.ts';
import type { StoreDefinition } from '../storage/store-definition.ts';
import type { ApiError } from './api-error.ts';
import type { CompiledContract } from './compiled-contract.ts';
import type { ErrorBodyOf } from './error-body.ts';
import type { AnyOperations, ErrorCode } from './operation.ts';
import type { Verify } from './security.ts';

/** The parts that an API supplies; the service provides everything else. */
export type ServiceParts<Store extends StoreTypes, C extends Contract = Contract> = {
  contract: C;
  /** The folder of the project, as a URL: with `openapi.yaml`, and the docs in `dist/docs`. */
  folder: URL;
  /** In test mode, an operation without code responds with its example in the contract. In live mode, it responds with `not_implemented`. */
  operations: AnyOperations;
  store: StoreDefinition<Store>;
  /** Verifies the credentials of each security scheme that keys of the service do not serve: see `VerifyFunctions`. */
  verify?: Readonly<Record<string, Verify | undefined>>;
  /** Makes the bodies of the errors that the server itself sends. Default: problem details if the contract documents problems, or the `Error`. */
  errorBody?: ErrorBodyOf;
  /** Makes the middleware of this API, once. It runs at three points in the request pipeline (see `app.ts`), also of sandboxes. */
  middleware?: (parts: MiddlewareParts<Store>) => OwnMiddleware<ErrorCode<C>>;
  /**
   * Adds sample data to an empty store, at each start of a server in development, and to each new sandbox.
   * @param keyId what belongs to a key belongs to the one of development, or of the sandbox; undefined if the service has no keys
   */
  seeds?: (storage: Storage<Store>, keyId: string | undefined, now: number) => Promise<void>;
  /** With SANDBOXES, the listener in front of the app. It is called once, before the server listens. See @contract-first/sandbox. */
  sandboxes?: (server: InFrontOfApp<Store>) => Promise<RequestListener>;
  /**
   * Opens the counters at `REDIS_URL`, which all processes share, such as those of the package `@contract-first/redis`.
   * @param service separates them from those of other programs
   */
  counters?: (url: string, service: string) => Promise<SharedCounters>;
  /** Work that one of the servers of a database does again and again, by name. */
  jobs?: Readonly<Record<string, Job<Store>>>;
  /** The curl commands that `npm start` prints for trying the API. */
  firstCalls?: (apiUrl: string, secret: string) => string[];
  /** Further commands of this API, by name. */
  commands?: Readonly<Record<string, Command>>;
};

type Unit = 'second' | 'minute' | 'hour' | 'day';
export type Every = `${number} ${Unit | `${Unit}s`}`;

/** A job runs at least once in each interval. It may run again after a failure, so its second run must do no harm. */
export type Job<Store extends StoreTypes> = {
  /** Such as `10 minutes`, from start to start. */
  every: Every;
  /** After this time, a run has failed. Default: half of `every`, and at most 10 minutes. */
  limit?: Every;
  run: (call: JobCall<Store>) => Promise<void>;
};

export type JobCall<Store extends StoreTypes> = {
  /** Its transactions are rolled back after the time limit. */
  storage: { reader: Store['reader']; transaction: RunTransaction<Store> };
  clock: Clock;
  log: Logger;
  /** Aborts at the time limit, and when the server stops. */
  signal: AbortSignal;
};

/** The parts of an app of the service that another one may have in their place. */
export type ReplaceableParts<Store extends StoreTypes> = {
  operations: AnyOperations;
  storage: Storage<Store>;
  keys: Pick<KeyRing, 'verify' | 'mode'>;
  limiter: Limiter;
  clock: Clock;
  middleware: OwnMiddleware | undefined;
};

/** What a listener in front of the app gets: the parts of the server. */
export type InFrontOfApp<Store extends StoreTypes> = ReplaceableParts<Store> & {
  service: ServiceParts<Store>;
  contract: CompiledContract;
  log: Logger;
  app: RequestListener;
  /** Returns an app like that of the server, with other parts. */
  appWith: (parts: Partial<ReplaceableParts<Store>>) => RequestListener;
};

/** The parts of the server that its middleware uses. */
export type MiddlewareParts<Store extends StoreTypes> = {
  storage: Storage<Store>;
  clock: Clock;
  log: Logger;
  config: Pick<Config, 'production' | 'mode' | 'publicUrl' | 'trustProxy'>;
};

/**
 * `beforeKey` and `afterKey` are Express handlers, which may respond or pass an ApiError to `next`. `request.context` has the state of the
 * request. They do not read the bodies of operations: mount body parsers on your own routes only.
 */
export type OwnMiddleware<Code extends string = string> = {
  /** Before the credentials are verified and the request is counted. Routes of your own, such as webhooks of other services, belong here. */
  beforeKey?: readonly OwnHandler<Code>[];
  /** After the credentials were accepted: `request.context.key` is set, unless the operation is public or the path is unknown. */
  afterKey?: readonly OwnHandler<Code>[];
  /**
   * Called once for each response of the app, after it was sent or its connection closed: not for requests that are not valid HTTP. The
   * failures of an observer are only logged.
   */
  afterResponse?: readonly ResponseObserver[];
};

/** An Express handler whose `next` takes any error but an ApiError with a code that the contract does not have. */
export type OwnHandler<Code extends string = string> = (
  request: Request,
  response: Response,
  next: (error?: ApiError<Code> | (Error & { code?: never }) | 'route' | 'router') => void,
) => unknown;

/** Runs a command with its arguments, and sets the exit code of the process. */
export type Command = (args: string[]) => Promise<void>;
