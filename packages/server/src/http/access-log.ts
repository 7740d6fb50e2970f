import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

/** One line per reply: request id, operation, status, time and key id; never the key. */
export function logAccess(log: Logger): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const { method } = request;
    response.once('close', () => {
      const { id, route, key } = request.exchange;
      log.info(
        {
          requestId: id,
          method,
          operation: route.kind === 'operation' ? route.id : route.kind,
          status: response.statusCode,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
          keyId: key?.id,
          ...(response.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}
