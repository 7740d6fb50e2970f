import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';
import { sendNoContent } from '../http/respond.ts';
import type { CompiledContract } from '../openapi/compiled-contract.ts';

/**
 * Responds to CORS preflight requests, which have no API key and are not counted. Any web page may call the API: browsers do not
 * send the key automatically, so no origin needs special trust.
 */
export function cors({ methods, contract }: CompiledContract): RequestHandler {
  const setCorsHeaders: RequestHandler = corsMiddleware({
    origin: '*',
    methods: [...methods],
    // The headers of the contract, and the trace headers that a web page may send.
    allowedHeaders: [...contract.requestHeaders, 'traceparent', 'tracestate'],
    maxAge: 7_200,
    preflightContinue: true,
  });
  return (request, response, next) => {
    if (request.method !== 'OPTIONS') return next();
    setCorsHeaders(request, response, () => {
      if (request.headers['access-control-request-method'] === undefined) return next();
      sendNoContent(request, response);
    });
  };
}
