import express, { type Express } from 'express';
import type { Logger } from 'pino';
import { identifyCaller, requireKey } from './auth/authenticate.ts';
import type { KeyRing } from './auth/keys.ts';
import type { Operations } from './calls/operation.ts';
import { runOperation } from './calls/run.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import { inTurn } from './http/in-turn.ts';
import { observeReplies, type ReplyObserver } from './http/observe-replies.ts';
import { enforceLimits } from './limits/enforce.ts';
import type { Limiter } from './limits/limiter.ts';
import { pages } from './pages/index.ts';
import { refuseRemoved } from './reply/deprecation.ts';
import { mapErrors } from './reply/error-mapper.ts';
import { createExit } from './reply/reply.ts';
import { createReplyCheck } from './reply/reply-check.ts';
import { arrive } from './request/arrival.ts';
import { readBody } from './request/body.ts';
import { answerPreflight } from './request/cors.ts';
import { requireRoute } from './request/route-errors.ts';
import type { Storage } from './storage/storage.ts';
import { validateRequest } from './validation/validate-request.ts';

export type AppParts = {
  config: Pick<Config, 'publicUrl' | 'trustProxy' | 'validateResponses'>;
  operations: Operations;
  storage: Storage;
  keys: Pick<KeyRing, 'verify'>;
  limiter: Limiter;
  clock: Clock;
  log: Logger;
  /** Told of every reply that the app gave. */
  observers: readonly ReplyObserver[];
  /** While true, /readyz says 503 and every reply closes its connection. */
  isDraining: () => boolean;
};

/** The API as an Express application: a request's way, from top to bottom. It listens nowhere yet. */
export function createApp(parts: AppParts): Express {
  const { config, operations, storage, keys, limiter, clock, log, observers, isDraining } = parts;
  const exit = createExit(config.validateResponses ? createReplyCheck() : undefined, isDraining);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);

  app.use(
    inTurn(
      arrive(clock, config.publicUrl),
      observeReplies(observers),
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
  app.use(mapErrors(limiter, log, exit, createExit(undefined, isDraining)));
  return app;
}
