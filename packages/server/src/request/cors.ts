import { operations, replyHeaders } from '@animal-store/contract';
import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';

const methods = [...new Set(Object.values(operations).map((operation) => operation.method)), 'HEAD'];

const exposedHeaders = [...replyHeaders, 'Allow'];

/** What lets a web page read a reply, for replies that the app does not write. */
export const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders.join(','),
};

/**
 * Any web page may call the API: the key is sent by hand, never by the browser on its own, so no origin is trusted more
 * than another.
 */
export const cors: RequestHandler = corsMiddleware({
  origin: '*',
  methods,
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
  exposedHeaders,
  maxAge: 7_200,
  preflightContinue: true,
});

/** Preflights end here, with what `cors` has set. They carry no key, and are not counted. */
export const answerPreflight: RequestHandler = (request, response, next) => {
  const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
  if (!isPreflight) return next();
  response.status(204).end();
};
