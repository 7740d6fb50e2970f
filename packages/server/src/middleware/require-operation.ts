import type { RequestHandler } from 'express';
import { ApiError } from '../contract/api-error.ts';
import { removalMessage } from '../contract/deprecation.ts';
import { sendNoContent } from '../http/respond.ts';

/**
 * Passes on requests that match an operation and responds to all others: OPTIONS with the methods of the path, an unknown
 * path with 404, an unknown method with 405, a removed operation with 410, and malformed HTTP with 400.
 */
export const requireOperation: RequestHandler = (request, response, next) => {
  const { route, receivedAt } = request.context;
  switch (route.kind) {
    case 'operation': {
      const message = removalMessage(route.id, receivedAt);
      return next(message === undefined ? undefined : new ApiError('operation_removed', message));
    }
    case 'wrong-method': {
      if (request.method === 'OPTIONS') {
        return sendNoContent(request, response, ['Allow', route.allow]);
      }
      const message = `This path does not have ${request.method}. It has ${route.allow}.`;
      return next(new ApiError('method_not_allowed', message, { headers: { Allow: route.allow } }));
    }
    case 'malformed':
      return next(
        new ApiError(
          'malformed_http',
          'The address cannot be decoded, or version, Host or Transfer-Encoding are not as HTTP/1.1 has them. Use an HTTP library.',
        ),
      );
    case 'unknown':
      return next(
        new ApiError('route_not_found', 'No operation has this path. Paths are exact; the reference is at /docs.'),
      );
  }
};
