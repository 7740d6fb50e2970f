import { operations } from '@animal-store/contract';
import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';
import { commonHeaders, exposedHeaders } from '../http/common-headers.ts';

const methods = [...new Set(Object.values(operations).map((operation) => operation.method)), 'HEAD'];

/**
 * Any web page may call the API: the key is sent by hand, never by the browser on its own, so no origin is trusted more
 * than another.
 */
const cors: RequestHandler = corsMiddleware({
  origin: '*',
  methods,
  allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-Request-Id'],
  exposedHeaders,
  maxAge: 7_200,
  preflightContinue: true,
});

/** Says to OPTIONS what web pages may send. Preflights end here: they carry no key, and are not counted. */
export const answerPreflight: RequestHandler = (request, response, next) => {
  if (request.method !== 'OPTIONS') return next();
  cors(request, response, () => {
    if (request.headers['access-control-request-method'] === undefined) return next();
    response.writeHead(204, commonHeaders(request.context)).end();
  });
};
