import { operations, replyHeaders } from '@animal-store/contract';
import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';

const methods = [...new Set(Object.values(operations).map((operation) => operation.method)), 'HEAD'];

/**
 * Any web page may call the API: the key is sent by hand, never by the browser on its own, so no origin is trusted more
 * than another. Preflights end here; they are not counted.
 */
export const cors: RequestHandler = corsMiddleware({
  origin: '*',
  methods,
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
  exposedHeaders: [...replyHeaders, 'Allow'],
  maxAge: 7_200,
  preflightContinue: true,
});

/** Answers OPTIONS: a preflight with what `cors` has set, any other with the methods of the path. */
export const answerOptions: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS') return next();
  const { route } = request.exchange;
  const isPreflight = request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight && route.kind !== 'wrong-method') return next();
  if (route.kind === 'wrong-method') response.setHeader('Allow', route.allow);
  response.status(204).end();
};
