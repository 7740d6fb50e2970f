import { parse } from 'node:querystring';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { schemesInUse } from './common/contract.ts';
import type { ResponseObserver } from './common/observed-response.ts';
import type { Clock } from './common/time.ts';
import type { Config } from './config/config.ts';
import type { CompiledContract } from './contract/compiled-contract.ts';
import type { AnyOperations } from './contract/operation.ts';
import { responseCheckOf } from './contract/response-check.ts';
import type { Verify } from './contract/security.ts';
import type { OwnMiddleware } from './contract/service-parts.ts';
import { createResponder, type Responder } from './http/respond.ts';
import type { KeyRing } from './keys/key-ring.ts';
import { authentication } from './middleware/authenticate.ts';
import { cors } from './middleware/cors.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { limit } from './middleware/limit.ts';
import { observeResponses } from './middleware/observe-responses.ts';
import { readBody } from './middleware/read-body.ts';
import { requestContext } from './middleware/request-context.ts';
import { ownHandlers, requireOperation } from './middleware/require-operation.ts';
import { runOperation } from './middleware/run-operation.ts';
import { validateRequest } from './middleware/validate-request.ts';
import { pages } from './pages/pages.ts';
import type { ConcurrencyLimit } from './rate-limit/concurrency.ts';
import type { Limiter } from './rate-limit/limiter.ts';
import type { SandboxesParts, SandboxParts } from './sandbox/sandboxes.ts';
import type { Storage, StoreTypes } from './storage/storage.ts';

export type AppParts<Store extends StoreTypes> = {
  config: Pick<Config, 'publicUrl' | 'trustProxy' | 'validateResponses' | 'mode' | 'links'>;
  contract: CompiledContract;
  /** The name of the service for machines. */
  service: string;
  /** See ServiceParts. */
  folder: URL;
  operations: AnyOperations;
  /** See ServiceParts. */
  verify?: Readonly<Record<string, Verify | undefined>> | undefined;
  storage: Storage<Store>;
  keys: Pick<KeyRing, 'verify' | 'mode'>;
  limiter: Limiter;
  running: ConcurrencyLimit;
  clock: Clock;
  log: Logger;
  /** Called once for each response of the app. */
  observers: readonly ResponseObserver[];
  /** See OwnMiddleware. */
  middleware?: OwnMiddleware | undefined;
  /** Begins a span for each request, if OpenTelemetry is on. */
  traceRequests: RequestHandler | undefined;
  /** While true, /readyz answers 503. */
  isDraining: () => boolean;
  /** Serves the requests of each key in its sandbox, if sandboxes are on. */
  sandboxes?: ((parts: Pick<SandboxesParts<Store>, 'serveWith'>) => RequestHandler) | undefined;
  /** In development, the key that the docs of this server may use. */
  developmentKey: (() => Promise<string>) | undefined;
};

/** The API as an Express application. The steps of a request run in the order of the list. */
export function createApp<Store extends StoreTypes>(parts: AppParts<Store>): Express {
  const { contract, config, clock, log, observers, middleware = {} } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);
  // Node's parser stops after 1,000 parameters by default, and the rest would pass unchecked.
  app.set('query parser', (query: string) => parse(query, '&', '=', { maxKeys: 0 }));

  const responder = createResponder(responseCheckOf(contract, config.validateResponses));
  const { authenticate, serve } = storeSteps(parts, responder);
  const serveWith = (sandbox: SandboxParts<Store>) => {
    const steps = storeSteps({ ...parts, ...sandbox }, responder);
    return express.Router().all(/^/, ...steps.authenticate, ...steps.serve);
  };
  // One route, because `app.use` for each step would leave 40 % more garbage (decision 27).
  app
    .route(/^/)
    .all(
      requestContext(contract, clock, config.publicUrl),
      ...(parts.traceRequests === undefined ? [] : [parts.traceRequests]),
      observeResponses([...observers, ...(middleware.afterResponse ?? [])], log),
      cors(contract),
      pages({ ...parts, contract: contract.contract }),
      ...ownHandlers(middleware.beforeKey),
      ...authenticate,
      ...(parts.sandboxes === undefined ? [] : [parts.sandboxes({ serveWith })]),
      ...serve,
    );
  return app;
}

/** The steps that depend on a store and its clock: that of the server, or that of a sandbox. */
function storeSteps<Store extends StoreTypes>(
  parts: AppParts<Store> & Partial<Pick<SandboxParts<Store>, 'refuseIfFull'>>,
  responder: Responder,
) {
  const { contract, config, operations, storage, keys, limiter, running, clock, log } = parts;
  const hasSchemes = schemesInUse(contract.contract).length > 0;
  const { authenticate, requireCaller } = authentication({
    ...{ contract: contract.contract, verify: parts.verify ?? {}, keys, realm: parts.service, clock },
  });
  return {
    authenticate: hasSchemes ? [authenticate] : [],
    serve: [
      limit(limiter),
      ...(hasSchemes ? [requireCaller] : []),
      ...ownHandlers(parts.middleware?.afterKey),
      requireOperation,
      ...(parts.refuseIfFull === undefined ? [] : [parts.refuseIfFull]),
      readBody,
      validateRequest,
      runOperation({ contract, operations, storage, clock, responder, log, running, mode: config.mode }),
      handleErrors(limiter, log, responder),
    ],
  };
}
