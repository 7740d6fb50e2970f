import { parse } from 'node:querystring';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ResponseObserver } from './common/observed-response.ts';
import type { Config } from './config/config.ts';
import { createResponder } from './http/respond.ts';
import { authentication } from './middleware/authenticate.ts';
import { cors } from './middleware/cors.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { limit } from './middleware/limit.ts';
import { observeResponses } from './middleware/observe-responses.ts';
import { readBody } from './middleware/read-body.ts';
import { requestContext } from './middleware/request-context.ts';
import { requireOperation } from './middleware/require-operation.ts';
import { runOperation } from './middleware/run-operation.ts';
import { validateRequest } from './middleware/validate-request.ts';
import type { CompiledContract } from './openapi/compiled-contract.ts';
import type { ErrorTextOf } from './openapi/error-body.ts';
import type { Verify } from './openapi/security.ts';
import type { ReplaceableParts } from './openapi/service-parts.ts';
import type { ConcurrencyLimit } from './rate-limit/concurrency.ts';
import type { StoreTypes } from './storage/storage.ts';

export type AppParts<Store extends StoreTypes> = ReplaceableParts<Store> & {
  config: Pick<Config, 'publicUrl' | 'trustProxy' | 'validateResponses' | 'mode'>;
  contract: CompiledContract;
  /** The name of the service in `WWW-Authenticate`. */
  realm: string;
  verify: Readonly<Record<string, Verify | undefined>>;
  errorText: ErrorTextOf;
  running: ConcurrencyLimit;
  log: Logger;
  observers: readonly ResponseObserver[];
  traceRequests: RequestHandler | undefined;
  pages: RequestHandler;
};

/** The API as an Express application. The steps of a request run in the order of the list. */
export function createApp<Store extends StoreTypes>(parts: AppParts<Store>): Express {
  const { contract, config, realm, verify, keys, limiter, clock, log, observers, middleware = {} } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);
  // Node's parser stops after 1,000 parameters by default, and the rest would pass unchecked.
  app.set('query parser', (query: string) => parse(query, '&', '=', { maxKeys: 0 }));

  const responder = createResponder(contract, config.validateResponses, log);
  const { authenticate, requireCaller } = authentication({ contract: contract.contract, verify, keys, realm, clock });
  // One route, because `app.use` for each step would leave 40 % more garbage (decision 27).
  app.route(/^/).all(
    requestContext(contract, clock, config.publicUrl),
    ...(parts.traceRequests === undefined ? [] : [parts.traceRequests]),
    observeResponses([...observers, ...(middleware.afterResponse ?? [])], log),
    cors(contract),
    parts.pages,
    ...(middleware.beforeKey ?? []),
    // A request is counted for the caller that `authenticate` has found, before anything refuses it.
    authenticate,
    limit(limiter),
    requireCaller,
    ...(middleware.afterKey ?? []),
    requireOperation,
    readBody,
    validateRequest,
    runOperation({ ...parts, responder, mode: config.mode }),
    handleErrors(limiter, log, responder, parts.errorText),
  );
  return app;
}
