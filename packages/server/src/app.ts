import express, { type Express } from 'express';
import type { Logger } from 'pino';
import type { Clock } from './common/clock.ts';
import type { Config } from './config/config.ts';
import { refuseRemoved } from './contract/deprecation.ts';
import type { Operations } from './contract/operation.ts';
import { createResponseCheck } from './contract/response-check.ts';
import type { ResponseObserver } from './http/context.ts';
import { createResponder } from './http/respond.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Limiter } from './limiter/limiter.ts';
import { identifyCaller, requireKey } from './middleware/authenticate.ts';
import { answerPreflight } from './middleware/cors.ts';
import { handleErrors } from './middleware/handle-errors.ts';
import { inTurn } from './middleware/in-turn.ts';
import { observeResponses } from './middleware/observe-responses.ts';
import { enforceLimits } from './middleware/rate-limit.ts';
import { readBody } from './middleware/read-body.ts';
import { requestContext } from './middleware/request-context.ts';
import { requireRoute } from './middleware/require-operation.ts';
import { runOperation } from './middleware/run-operation.ts';
import { validateRequest } from './middleware/validate-request.ts';
import { pages } from './pages/index.ts';
import type { Storage } from './storage/storage.ts';

export type AppParts = {
  config: Pick<Config, 'publicUrl' | 'trustProxy' | 'validateResponses'>;
  operations: Operations;
  storage: Storage;
  keys: Pick<KeyRing, 'verify'>;
  limiter: Limiter;
  clock: Clock;
  log: Logger;
  /** Told of every response that the app gave. */
  observers: readonly ResponseObserver[];
  /** While true, /readyz says 503. */
  isDraining: () => boolean;
};

/** The API as an Express application: a request's way, from top to bottom. It listens nowhere yet. */
export function createApp(parts: AppParts): Express {
  const { config, operations, storage, keys, limiter, clock, log, observers, isDraining } = parts;
  const exit = createResponder(config.validateResponses ? createResponseCheck() : undefined);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);

  app.use(
    inTurn(
      requestContext(clock, config.publicUrl),
      observeResponses(observers),
      answerPreflight,
      pages(storage, isDraining),
      identifyCaller(keys, clock),
      enforceLimits(limiter),
      requireKey,
      requireRoute,
      refuseRemoved,
      readBody,
      validateRequest,
      runOperation({ operations, storage, clock, exit }),
    ),
  );
  app.use(handleErrors(limiter, log, exit, createResponder(undefined)));
  return app;
}
