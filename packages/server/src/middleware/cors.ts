import { operations } from '@animal-store/contract';
import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';
import { exposedHeaders, sendNoContent } from '../http/respond.ts';

const methods = [...new Set(Object.values(operations).map((operation) => operation.method)), 'HEAD'];

/** Any web page may call the API: browsers do not send the key automatically, so no origin needs special trust. */
const setCorsHeaders: RequestHandler = corsMiddleware({
  origin: '*',
  methods,
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
  exposedHeaders,
  maxAge: 7_200,
  preflightContinue: true,
});

/** Responds to CORS preflight requests, which have no API key and are not counted. */
export const cors: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS') return next();
  setCorsHeaders(request, response, () => {
    if (request.headers['access-control-request-method'] === undefined) return next();
    sendNoContent(request, response);
  });
};
