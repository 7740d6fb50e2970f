import { requestHeaders } from '@animal-store/contract';
import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';
import { allMethods } from '../contract/router.ts';
import { sendNoContent } from '../http/respond.ts';

/** Any web page may call the API: browsers do not send the key automatically, so no origin needs special trust. */
const setCorsHeaders: RequestHandler = corsMiddleware({
  origin: '*',
  methods: allMethods,
  // The headers of the contract, and the trace headers that a web page may send.
  allowedHeaders: [...requestHeaders, 'traceparent', 'tracestate'],
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
