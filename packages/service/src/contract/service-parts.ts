import type { RequestHandler } from 'express';
import type { Contract } from '../common/contract.ts';
import type { ResponseObserver } from '../common/observed-response.ts';
import type { Clock } from '../common/time.ts';
import type { Storage, StoreTypes } from '../storage/storage.ts';
import type { StoreDefinition } from '../storage/store-definition.ts';
import type { AnyOperations } from './operation.ts';

/** The parts that an API supplies; the service provides everything else. */
export type ServiceParts<Store extends StoreTypes> = {
  /** The file that runs the service, as `import.meta.url`: with `WORKERS`, each worker process runs it again. */
  main: string;
  contract: Contract;
  /** The folder of the project, as a URL: with `openapi.yaml`, and the docs in `dist/docs`. */
  folder: URL;
  operations: AnyOperations;
  store: StoreDefinition<Store>;
  /** Middleware of this API, which runs at three points in the request pipeline (see `app.ts`). */
  middleware?: OwnMiddleware;
  /** Sample data of test servers. */
  seeds?: {
    /** Adds them to an empty store. */
    add: (storage: Storage<Store>) => Promise<void>;
    /** Replaces all data with the samples and resolves to their number. */
    reset: (storage: Storage<Store>) => Promise<number>;
  };
  /** Work on the store that the server runs every minute. */
  everyMinute?: (storage: Storage<Store>, clock: Clock) => Promise<void>;
  /** The curl commands that `npm start` prints for trying the API. */
  firstCalls?: (apiUrl: string, secret: string) => string[];
  /** Further commands of this API, by name. */
  commands?: Readonly<Record<string, Command>>;
};

/** `beforeKey` and `afterKey` are Express handlers, which may respond or pass an ApiError to `next`. `request.context` has the state of the request. */
export type OwnMiddleware = {
  /** Before the API key is looked up and the request is counted. Routes of your own, such as webhooks of other services, belong here. */
  beforeKey?: readonly RequestHandler[];
  /** After the key was accepted: `request.context.key` is set, unless the operation is public or the path is unknown. */
  afterKey?: readonly RequestHandler[];
  /** Called once for each response, after it was sent or its connection closed. */
  afterResponse?: readonly ResponseObserver[];
};

/** Runs a command with its arguments, and sets the exit code of the process. */
export type Command = (args: string[]) => Promise<void>;
